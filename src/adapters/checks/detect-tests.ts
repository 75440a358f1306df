import { createHash } from "node:crypto";
import type { FoundTests } from "../../ports/check-runner.ts";
import { cargoTests } from "./detectors/cargo-tests.ts";
import type { DetectedTests, Detector } from "./detectors/detector.ts";
import { makeTests } from "./detectors/make-tests.ts";
import { packageTests } from "./detectors/package-tests.ts";
import { pythonTests } from "./detectors/python-tests.ts";
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

/** The first that matches wins: what a project declares itself comes before what its tools imply. */
const detectors: readonly Detector[] = [
  packageTests,
  pythonTests,
  cargoTests,
  goTests,
  makeTests,
  gradleTests,
  mavenTests,
  rspecTests,
  rakeTests,
  mixTests,
  dotnetTests,
];

/** Reads files only; nothing of the project is executed. */
export function detectTests(root: string): FoundTests | null {
  const files = projectFiles(root);
  for (const detect of detectors) {
    const found = detect(files);
    if (found === null) continue;
    const { argv, source } = found;
    const definition = found.definition.map(([name, text]) => ({ name, text }));
    return { command: { argv: [...argv], source, digest: digestOf(found) }, definition };
  }
  return null;
}

const digestOf = ({ argv, definition }: DetectedTests): string =>
  createHash("sha256")
    .update(JSON.stringify([argv, definition]))
    .digest("hex");
