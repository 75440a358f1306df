import { expect, test } from "vitest";
import type { Draft } from "../../src/core/run.ts";
import { reviewMaterial } from "../../src/engine/review-material.ts";
import { activeRun, advance, startRun } from "../support/run-builder.ts";

const MAX_PATCH_CHARS = 60_000;
const MAX_FILES = 300;
const draft: Draft = {
  summary: "",
  decisions: [],
  artifacts: [],
  checks: [],
  testsChanged: null,
  issues: [],
  approved: false,
  written: [],
  concerns: [],
  denied: [],
};

const header = (path: string): string => `diff --git a/${path} b/${path}\n`;
const fileOf = (path: string, length: number): string =>
  `${header(path)}${"+".repeat(length - header(path).length - 1)}\n`;

function materialFor(patch: string): string {
  const run = activeRun(advance(startRun(), "produce"));
  const [phase] = run.phases;
  if (phase === undefined) throw new Error("a run has phases");
  return reviewMaterial(run, phase, { draft, changes: [], patch, revised: null, boundary: "B" });
}

const shownFiles = (material: string): string[] =>
  [...material.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path = ""]) => path);

test.each([
  [
    "a short lock file and code",
    [fileOf("package-lock.json", 100), fileOf("src/a.ts", 100)],
    ["src/a.ts", "package-lock.json"],
  ],
  [
    "documents, tests and code",
    [fileOf("README.md", 100), fileOf("src/a.test.ts", 100), fileOf("src/a.ts", 100)],
    ["src/a.ts", "src/a.test.ts", "README.md"],
  ],
  [
    "a test that does not fit next to the code",
    [fileOf("a.test.ts", 200), fileOf("b.ts", MAX_PATCH_CHARS - 100)],
    ["b.ts"],
  ],
  [
    "a lock file longer than the limit",
    [fileOf("package-lock.json", MAX_PATCH_CHARS + 1), fileOf("src/a.ts", 100)],
    ["src/a.ts"],
  ],
  ["one file longer than the limit", [fileOf("a.ts", MAX_PATCH_CHARS + 1), fileOf("b.ts", 100)], ["b.ts"]],
  ["a file at the limit", [fileOf("a.ts", MAX_PATCH_CHARS)], ["a.ts"]],
  ["a file one character over the limit", [fileOf("a.ts", MAX_PATCH_CHARS + 1)], []],
  ["two files that fit together", [fileOf("a.ts", MAX_PATCH_CHARS - 100), fileOf("b.ts", 100)], ["a.ts", "b.ts"]],
  [
    "a file over the limit followed by a short one",
    [fileOf("a.ts", MAX_PATCH_CHARS - 100), fileOf("b.ts", 101), fileOf("c.ts", 100)],
    ["a.ts", "c.ts"],
  ],
])("shows the reviewer every file that fits, in review order: %s", (_what, files, shown) => {
  const material = materialFor(files.join(""));
  expect(shownFiles(material)).toEqual(shown);
  for (const path of files.map((file) => /a\/(\S+)/.exec(file)?.[1] ?? ""))
    expect(material, "a file that does not fit is named").toContain(path);
});

test.each([
  [MAX_FILES, 0],
  [MAX_FILES + 1, 1],
])("lists at most %d changed files and counts the rest: %d", (files, left) => {
  const run = activeRun(advance(startRun(), "produce"));
  const [phase] = run.phases;
  if (phase === undefined) throw new Error("a run has phases");
  const changes = Array.from({ length: files }, (_, at) => ({ path: `src/${at}.ts`, change: "added" as const }));
  const material = reviewMaterial(run, phase, { draft, changes, patch: "", revised: null, boundary: "B" });
  expect(material.match(/\(added\)/g)).toHaveLength(MAX_FILES);
  expect(material.includes(`and ${left} more`)).toBe(left > 0);
});
