import { createHash } from "node:crypto";
import type { ChosenTests, FoundTests } from "../../ports/check-runner.ts";
import { chosenTests } from "./chosen-tests.ts";
import { cargoTests } from "./detectors/cargo-tests.ts";
import type { DetectedTests, Detector } from "./detectors/detector.ts";
import { makeTests } from "./detectors/make-tests.ts";
import { packageTests } from "./detectors/package-tests.ts";
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
} from "./detectors/tool-tests.ts";
import { projectFiles } from "./project-files.ts";

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
