import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeFolder } from "../../src/adapters/files/temporary-folder.ts";

let base = "";
const at = (...names: string[]): string => join(base, ...names);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "removing-"));
  mkdirSync(at("kept"));
  writeFileSync(at("kept", "file"), "kept");
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

test("removes a folder with thousands of files and a name that is not UTF-8", async () => {
  for (let number = 0; number < 3000; number++) {
    mkdirSync(at("folder", `part-${number % 30}`, "inner"), { recursive: true });
    writeFileSync(at("folder", `part-${number % 30}`, "inner", `file-${number}`), "");
  }
  writeFileSync(Buffer.concat([Buffer.from(`${at("folder")}/`), Buffer.from([0x66, 0xff])]), "");
  await removeFolder(at("folder"));
  expect(readdirSync(base)).toEqual(["kept"]);
});

test("removes links in a folder without their targets", async () => {
  mkdirSync(at("folder", "inner"), { recursive: true });
  symlinkSync(at("kept"), at("folder", "inner", "link"));
  symlinkSync(at("kept", "file"), at("folder", "link"));
  await removeFolder(at("folder"));
  expect([existsSync(at("folder")), existsSync(at("kept", "file"))]).toEqual([false, true]);
});

test("removes a link instead of the folder without its target [S4]", async () => {
  symlinkSync(at("kept"), at("folder"));
  await removeFolder(at("folder"));
  expect([readdirSync(base), existsSync(at("kept", "file"))]).toEqual([["kept"], true]);
});

test("ignores a missing folder", async () => {
  await removeFolder(at("never"));
  expect(readdirSync(base)).toEqual(["kept"]);
});

test("lets other tasks run in the meantime", async () => {
  for (let number = 0; number < 5000; number++) {
    mkdirSync(at("folder", `part-${number % 30}`), { recursive: true });
    writeFileSync(at("folder", `part-${number % 30}`, `file-${number}`), "");
  }
  let turns = 0;
  const turn = setInterval(() => turns++, 1);
  await removeFolder(at("folder"));
  clearInterval(turn);
  expect(turns).toBeGreaterThan(0);
});
