import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeTemporary } from "../support/remove-temporary.ts";

type Packages = Record<string, { version: string; optional?: true; link?: true }>;

const LOCKED: Packages = {
  "node_modules/a": { version: "1.0.0" },
  "node_modules/other-platform": { version: "1.0.0", optional: true },
  "node_modules/team": { version: "0.0.0", link: true },
};

let folder: string;
let clone: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "isdlc-setup-"));
  clone = join(folder, "clone");
  mkdirSync(join(clone, "scripts"), { recursive: true });
  cpSync("scripts/setup.mjs", join(clone, "scripts", "setup.mjs"));
  writeLockFile(join(clone, "package-lock.json"), LOCKED);
  for (const name of ["src", "web", "team/src", "dist"]) mkdirSync(join(clone, name), { recursive: true });
  for (const name of ["package.json", "tsconfig.build.json"]) writeFileSync(join(clone, name), "{}");
  writeFileSync(join(clone, "dist", ".built"), "");
});
afterEach(() => removeTemporary(folder));

function writeLockFile(path: string, packages: Packages): void {
  writeFileSync(path, JSON.stringify({ packages }));
}

const setUp = () => spawnSync(process.execPath, ["scripts/setup.mjs"], { cwd: clone, encoding: "utf8" });

test("accepts installed packages in their locked versions, without optional ones", () => {
  mkdirSync(join(clone, "node_modules"));
  writeLockFile(join(clone, "node_modules", ".package-lock.json"), { "node_modules/a": { version: "1.0.0" } });
  expect(setUp()).toMatchObject({ status: 0, stderr: "" });
});

test.each<[string, Packages | undefined]>([
  ["no installed package", undefined],
  ["a missing package", { "node_modules/other-platform": { version: "1.0.0" } }],
  ["a different version", { "node_modules/a": { version: "1.0.1" } }],
])("fails with the install command for %s and installs nothing", (_, installed) => {
  const shared = join(folder, "shared");
  mkdirSync(shared);
  writeFileSync(join(shared, "kept.txt"), "of another clone");
  if (installed !== undefined) writeLockFile(join(shared, ".package-lock.json"), installed);
  symlinkSync(shared, join(clone, "node_modules"));
  const { status, stderr } = setUp();
  expect(status).toBe(1);
  expect(stderr).toContain("(node_modules/a). Run: npm ci");
  expect(existsSync(join(shared, "kept.txt"))).toBe(true);
});
