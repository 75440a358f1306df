import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { removeTemporary } from "./remove-temporary.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder for the copy of the built program, created by the first test that needs it and shared by all. */
    programFolder: string;
  }
}

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-built-"));
  project.provide("programFolder", folder);
  return () => removeTemporary(folder);
}
