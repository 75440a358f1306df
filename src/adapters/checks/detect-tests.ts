import { createHash } from "node:crypto";
import type { ChosenTests, FoundTests } from "../../ports/check-runner.ts";
import { type DetectedTests, type Detector, type NamedText, readTexts } from "./detectors/detector.ts";
import { makeTests, makeDefinition } from "./detectors/make-tests.ts";
import { packageTests, packageDefinition } from "./detectors/package-tests.ts";
import { pythonTests } from "./detectors/python-tests.ts";
import { hatchTests, justTests, noxTests, phpTests, taskfileTests, toxTests } from "./detectors/task-tests.ts";
import {
  dotnetTests,
  goTests,
  gradleTests,
  mavenTests,
  mixTests,
  rakeTests,
  rspecTests,
  cargoTests,
} from "./detectors/tool-tests.ts";
import { projectFiles, type ProjectFiles } from "./detectors/project-files.ts";

/** The first match wins: declarations of a project come before conventions of its tools. */
const detectors: readonly Detector[] = [
  packageTests,
  hatchTests,
  pythonTests,
  toxTests,
  noxTests,
  cargoTests,
  goTests,
  phpTests,
  makeTests,
  justTests,
  taskfileTests,
  gradleTests,
  mavenTests,
  rspecTests,
  rakeTests,
  mixTests,
  dotnetTests,
];

/** Returns the chosen commands, or the first detected one. Reads files only; nothing of the project is executed. */
export function detectTests(root: string, chosen: ChosenTests | null = null): FoundTests | null {
  const files = projectFiles(root);
  if (chosen !== null) return toFoundTests(chosenTests(files, chosen, detectors), { isChosen: true });
  for (const detect of detectors) {
    const found = detect(files);
    if (found !== null) return toFoundTests(found, {});
  }
  return null;
}

function toFoundTests(found: DetectedTests, origin: { isChosen?: true }): FoundTests {
  const { argv, more = [], source } = found;
  const further = more.length === 0 ? {} : { more: more.map((words) => [...words]) };
  const definition = found.definition.map(([name, text]) => ({ name, text }));
  return { command: { argv: [...argv], ...further, ...origin, source, digest: digestTests(found) }, definition };
}

const digestTests = ({ argv, more = [], definition }: DetectedTests): string =>
  createHash("sha256")
    .update(JSON.stringify([argv, definition, ...more]))
    .digest("hex");

const SOURCE = "your command";
/** Words to look up as files of the project. */
const MAX_COMMAND_WORDS = 50;

/**
 * Returns the commands chosen by the user, with everything in the project that may decide what they run: scripts,
 * targets and files named in them, and the configuration of every test tool of the project.
 */
function chosenTests(files: ProjectFiles, chosen: ChosenTests, detectors: readonly Detector[]): DetectedTests {
  const [argv = [], ...more] = chosen;
  const words = [...new Set(chosen.flat().flatMap((word) => word.split(/[\s;&|]+/)))].slice(0, MAX_COMMAND_WORDS);
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
