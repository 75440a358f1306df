import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Makes each git started from now on log its arguments, and returns the log. */
export function listGits(base: string): () => readonly string[] {
  const log = join(base, "gits");
  const folder = join(base, "bin");
  const real = realpathSync(execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim());
  mkdirSync(folder);
  writeFileSync(log, "");
  writeFileSync(join(folder, "git"), `#!/bin/sh\necho "$*" >> "${log}"\nexec "${real}" "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  process.env["PATH"] = [folder, process.env["PATH"]].join(delimiter);
  return () => readFileSync(log, "utf8").split("\n").slice(0, -1);
}

/** Makes each git started from now on log its arguments, and returns their number. */
export function countGits(base: string): () => number {
  const gits = listGits(base);
  return () => gits().length;
}
