import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTreeStamper, touchedSince, type TreeStamps } from "../../src/adapters/git/snapshot/tree-stamps.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);

test("doubts recently written files, even if unchanged", () => {
  fixture.write("a", "1\n");
  const stampsIn = createTreeStamper(fixture.repo);
  const [before, now] = [stampsIn(fixture.base, []), stampsIn(fixture.base, [])];
  expect([before?.names, before?.numbers]).toEqual([now?.names, now?.numbers]);
  expect(touchedSince(before as TreeStamps, now as TreeStamps)).toEqual({ files: [], doubted: ["a"], isAll: true });
});

test.each([
  ["more files than the limit", () => Array.from({ length: 1501 }, (_, at) => fixture.write(`many/${at}`, ""))],
  ["a folder named .GIT", () => mkdirSync(at("folder/.GIT"), { recursive: true })],
])("returns null for a tree with %s", (_, make) => {
  make();
  expect(createTreeStamper(fixture.repo)(fixture.base, [])).toBeNull();
});

test("distinguishes names that are not UTF-8 from similar text", () => {
  const folder = (name: Buffer): Buffer => Buffer.concat([Buffer.from(`${fixture.repo}/`), name]);
  const text = Buffer.from("\u00e9");
  const noText = Buffer.from([0xe9]);
  for (const name of [text, noText]) mkdirSync(folder(name));
  writeFileSync(Buffer.concat([folder(noText), Buffer.from("/\u00e9.txt")]), "1\n");
  writeFileSync(Buffer.concat([folder(text), Buffer.from("/a")]), "1\n");
  const names = createTreeStamper(fixture.repo)(fixture.base, [])?.names.toSorted();
  expect(names).toEqual(["\u00c3\u00a9/a", "\u00e9/\u00c3\u00a9.txt"]);
});

test("includes only the given paths of .isdlc, and none through a link", () => {
  fixture.write(".isdlc/journal/run.jsonl", "1\n");
  fixture.write(".isdlc/work/run/plan.md", "1\n");
  const stampsIn = createTreeStamper(fixture.repo);
  expect(stampsIn(fixture.base, [])?.names).toEqual([]);
  expect(stampsIn(fixture.base, [".isdlc/work/run/"])?.names).toEqual([".isdlc/work/run/plan.md"]);
  renameSync(at(".isdlc/work"), at(".isdlc/moved"));
  symlinkSync("moved", at(".isdlc/work"));
  expect(stampsIn(fixture.base, [".isdlc/work/run/"])).toBeNull();
});
