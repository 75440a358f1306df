import { expect, test } from "vitest";
import type { ActiveRun } from "../../src/core/run.ts";
import { claimsSoFar, unmentionedFiles } from "../../src/core/changes/unmentioned.ts";

const run = { run: { item: "docs/features/001-x" }, phases: [] } as unknown as ActiveRun; // The test reads only these fields.
const changed = (...paths: string[]) => paths.map((path) => ({ path, change: "modified" as const }));

test.each<[string, string, readonly string[], string[]]>([
  ["the full path", "Changed src/limit.js.", [], []],
  ["the file name", "Changed limit.js and its test.", [], []],
  ["the file name in backticks", "Changed `limit.js`.", [], []],
  ["an artifact with ./", "", ["./src/limit.js"], []],
  ["only a longer name", "Changed limit.js.map and my-limit.js.", [], ["src/limit.js"]],
  ["nothing", "Done.", [], ["src/limit.js"]],
])("decides if a file is mentioned by %s", (...[, summary, artifacts, left]) => {
  expect(unmentionedFiles(run, { summary, artifacts, decisions: [] }, changed("src/limit.js"))).toEqual(left);
});

test("compares a review of the whole work with the summaries of all phases", () => {
  const made = (summary: string, artifacts: string[]) => ({ made: { summary, artifacts, decisions: ["kept b.js"] } });
  const phases = [made("wrote a.js", []), { made: null }, made("", ["c.js"])];
  const claim = claimsSoFar({ ...run, phases } as unknown as ActiveRun); // the test reads only these fields
  expect(claim && unmentionedFiles(run, claim, changed("a.js", "b.js", "c.js", "d.js"))).toEqual(["d.js"]);
});

test("has no claims to compare with if the work was done in earlier runs", () => {
  expect(claimsSoFar({ ...run, phases: [{ made: null }] } as unknown as ActiveRun)).toBeNull(); // as above
});
