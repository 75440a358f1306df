import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { areUntouched, createTreeStamper } from "../../src/adapters/git/snapshot/tree-stamps.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);

test("files that were written a moment ago prove nothing, though they stand as before", () => {
  fixture.write("a", "1\n");
  const stampsIn = createTreeStamper(fixture.repo);
  const [before, now] = [stampsIn(fixture.base, []), stampsIn(fixture.base, [])];
  expect([before?.names, before?.numbers]).toEqual([now?.names, now?.numbers]);
  expect([before?.isSettled, areUntouched(before, now)]).toEqual([false, false]);
});

test.each([
  [
    "more files than are looked at one by one",
    () => Array.from({ length: 1501 }, (_, at) => fixture.write(`many/${at}`, "")),
  ],
  ["a folder called .GIT inside", () => mkdirSync(at("folder/.GIT"), { recursive: true })],
])("a tree with %s is left to git", (_, make) => {
  make();
  expect(createTreeStamper(fixture.repo)(fixture.base, [])).toBeNull();
});

test("of our own folder only what is included counts, and not through a link", () => {
  fixture.write(".isdlc/journal/run.jsonl", "1\n");
  fixture.write(".isdlc/work/run/plan.md", "1\n");
  const stampsIn = createTreeStamper(fixture.repo);
  expect(stampsIn(fixture.base, [])?.names).toEqual([]);
  expect(stampsIn(fixture.base, [".isdlc/work/run/"])?.names).toEqual([".isdlc/work/run/plan.md"]);
  renameSync(at(".isdlc/work"), at(".isdlc/moved"));
  symlinkSync("moved", at(".isdlc/work"));
  expect(stampsIn(fixture.base, [".isdlc/work/run/"])).toBeNull();
});
