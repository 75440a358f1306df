import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeTemporary } from "../support/remove-temporary.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "isdlc-prose-"));
});
afterEach(() => removeTemporary(folder));

/** Measures a folder with the given sentence in each of the four kinds of text, repeated above the minimum size. */
function measure(sentence: string): { status: number | null; stdout: string } {
  const repeated = <T>(line: T): T[] => Array<T>(120).fill(line);
  writeFileSync(join(folder, "guide.md"), repeated(`${sentence}\n`).join("\n"));
  writeFileSync(join(folder, "code.ts"), repeated(`// ${sentence}\nsay("${sentence}");`).join("\n"));
  writeFileSync(join(folder, "code.test.ts"), repeated(`test("${sentence}", () => {});`).join("\n"));
  return spawnSync(process.execPath, ["scripts/prose.mjs", "--limits", folder], { encoding: "utf8" });
}

test("accepts sentences that name their subject", () => {
  const { status, stdout } = measure("The gate opens again if the base has moved");
  expect(stdout).not.toContain("FAIL");
  expect(status).toBe(0);
});

test("rejects private idioms in each kind of text", () => {
  const { status, stdout } = measure("What was left is told to whoever asks, if nobody looked once more");
  for (const kind of ["docs", "comments", "strings", "tests"]) expect(stdout).toContain(`FAIL  ${kind}: marks`);
  expect(status).toBe(1);
});

test("fails if it finds no text", () => {
  writeFileSync(join(folder, "empty.md"), "");
  const { status, stdout } = spawnSync(process.execPath, ["scripts/prose.mjs", "--limits", folder], {
    encoding: "utf8",
  });
  expect(stdout).toContain("only 0 words were found");
  expect(status).toBe(1);
});
