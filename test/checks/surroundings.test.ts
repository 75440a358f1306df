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
  ["a touched file", () => utimesSync(join(root, "local.env"), 1, 1), []],
  ["a rewritten file with the same content", () => write("node_modules/kit/index.js", "1"), []],
  ["a changed package", () => write("node_modules/kit/index.js", "2"), ["node_modules/kit"]],
  ["a new package", () => write("node_modules/other/index.js", "1"), ["node_modules/other"]],
  [
    "a changed program among the packages",
    () => {
      rmSync(join(root, "node_modules/.bin/kit"));
      write("node_modules/.bin/kit", "exit 0");
    },
    ["node_modules/.bin"],
  ],
  ["a changed ignored file", () => write("local.env", "A=2"), ["local.env"]],
  ["a changed compiled module", () => write("helper.pyc", "2"), ["helper.pyc"]],
  ["a deleted file", () => rmSync(join(root, "local.env")), ["local.env"]],
  ["a changed cache", () => write("node_modules/.cache/x", "2"), []],
];

test.each(rows)("compares ignored files that tests read by content: %s", (_what, change, parts) => {
  const before = surroundingsDigests(root, surroundings());
  change();
  expect(changedParts(root, surroundings(), before)).toEqual(parts);
});

test("reads other files despite one that is too large", () => {
  write("a-dataset.bin", "");
  truncateSync(join(root, "a-dataset.bin"), 65 * 1024 * 1024); // One MB over the limit.
  const parts = () => testSurroundings(root, ["a-dataset.bin", ...IGNORED]);
  const before = surroundingsDigests(root, parts());
  write("local.env", "A=1"); // unchanged content
  expect(changedParts(root, parts(), before)).toEqual([]);
});
