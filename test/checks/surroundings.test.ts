import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changedParts, surroundingsDigests } from "../../src/adapters/checks/surroundings-digests.ts";
import { testSurroundings } from "../../src/adapters/checks/test-surroundings.ts";

const IGNORED = ["node_modules/", "local.env", "helper.pyc", "__pycache__/", "dist/"];
let root = "";
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const surroundings = () => testSurroundings(root, IGNORED);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "isdlc-around-"));
  write("node_modules/kit/index.js", "1");
  write("node_modules/kit/bin.js", "1");
  mkdirSync(join(root, "node_modules/.bin"));
  symlinkSync("../kit/bin.js", join(root, "node_modules/.bin/kit"));
  write("node_modules/.cache/x", "1");
  write("local.env", "A=1");
  write("helper.pyc", "1");
  write("__pycache__/a.pyc", "1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const rows: readonly (readonly [what: string, change: () => void, parts: string[]])[] = [
  ["nothing", () => undefined, []],
  ["a file that was only touched", () => utimesSync(join(root, "local.env"), 1, 1), []],
  ["a file written anew with the same content", () => write("node_modules/kit/index.js", "1"), []],
  ["a package", () => write("node_modules/kit/index.js", "2"), ["node_modules/kit"]],
  ["a package that is new", () => write("node_modules/other/index.js", "1"), ["node_modules/other"]],
  [
    "a program among the packages",
    () => {
      rmSync(join(root, "node_modules/.bin/kit"));
      write("node_modules/.bin/kit", "exit 0");
    },
    ["node_modules/.bin"],
  ],
  ["an ignored file", () => write("local.env", "A=2"), ["local.env"]],
  ["a compiled module that stands for a source", () => write("helper.pyc", "2"), ["helper.pyc"]],
  ["a file that is gone", () => rmSync(join(root, "local.env")), ["local.env"]],
  ["a cache, which every run of the tests changes", () => write("node_modules/.cache/x", "2"), []],
];

test.each(rows)("what git ignores and tests read is compared by content: %s", (_what, change, parts) => {
  const before = surroundingsDigests(root, surroundings());
  change();
  expect(changedParts(root, surroundings(), before)).toEqual(parts);
});

test("a part too large to be read does not keep the parts after it from being read", () => {
  write("a-dataset.bin", "");
  truncateSync(join(root, "a-dataset.bin"), 65 * 1024 * 1024); // one more than is read
  const parts = () => testSurroundings(root, ["a-dataset.bin", ...IGNORED]);
  const before = surroundingsDigests(root, parts());
  write("local.env", "A=1"); // as it was
  expect(changedParts(root, parts(), before)).toEqual([]);
});
