import type { ChosenTests } from "../../ports/check-runner.ts";
import type { DetectedTests, Detector, NamedText } from "./detectors/detector.ts";
import { readTexts } from "./detectors/detector.ts";
import { makeDefinition } from "./detectors/make-tests.ts";
import { packageDefinition } from "./detectors/package-tests.ts";
import type { ProjectFiles } from "./project-files.ts";

const SOURCE = "your command";
/** Words to look up as files of the project. */
const MAX_WORDS = 50;

/**
 * Returns the commands chosen by the user, with everything in the project that may decide what they run: scripts,
 * targets and files named in them, and the configuration of every test tool of the project.
 */
export function chosenTests(files: ProjectFiles, chosen: ChosenTests, detectors: readonly Detector[]): DetectedTests {
  const [argv = [], ...more] = chosen;
  const words = [...new Set(chosen.flat().flatMap((word) => word.split(/[\s;&|]+/)))].slice(0, MAX_WORDS);
  const definition: NamedText[] = [
    ...packageDefinition(files, words),
    ...(words.some((word) => MAKES.has(word)) ? makeDefinition(files, ["test", "all", ...words]) : []),
    ...detectors.flatMap((detect) => detect(files)?.definition ?? []),
    ...readTexts(files, words.filter(isFile(files)).map(withoutDot)),
  ];
  return { argv, more, source: SOURCE, definition: withoutRepeats(definition) };
}

const withoutRepeats = (definition: readonly NamedText[]): NamedText[] => [
  ...new Map(definition.map((part) => [JSON.stringify(part), part])).values(),
];
const MAKES = new Set(["make", "gmake"]);
const withoutDot = (word: string): string => word.replace(/^\.\//, "");
const isFile =
  (files: ProjectFiles) =>
  (word: string): boolean =>
    /^(?:\.\/)?[\w-][\w./-]*$/.test(word) && files.text(withoutDot(word)) !== null;
