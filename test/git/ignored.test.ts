import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodePath } from "../../src/adapters/git/process/git-path.ts";
import { createIgnoreRules, findIgnored } from "../../src/adapters/git/snapshot/ignored.ts";
import { countGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const rules = () => createIgnoreRules({ top: fixture.repo, env: process.env });
const BYTES = decodePath(Buffer.from([0x66, 0xff]));

describe("findIgnored", () => {
  test("follows the rules of every place, negations and names of any bytes", async () => {
    fixture.write(".gitignore", "*.log\n!kept.log\nbuild/\n");
    fixture.write(Buffer.from(`f\xff/.gitignore`, "latin1"), "secret\n");
    appendFileSync(join(fixture.repo, ".git", "info", "exclude"), "excluded\n");
    const paths = ["a.log", "kept.log", "build/", "build/x", "excluded", `${BYTES}/secret`, `${BYTES}/other`, 'q"\n'];
    const found = await findIgnored(rules(), paths);
    expect(paths.filter((path) => found.has(path))).toEqual([
      "a.log",
      "build/",
      "build/x",
      "excluded",
      `${BYTES}/secret`,
    ]);
  });

  test("starts no further git while rules are unchanged", async () => {
    fixture.write(".gitignore", "*.log\n");
    const ask = rules();
    await ask(["a.log"]);
    const gits = countGits(fixture.base);
    for (const path of ["a.log", "b/c.log", "d.txt"]) await ask([path]);
    expect(gits()).toBe(0);
  });

  const places: readonly { what: string; file: () => string }[] = [
    { what: "the top-level .gitignore", file: () => join(fixture.repo, ".gitignore") },
    { what: "a subfolder's .gitignore", file: () => join(fixture.repo, "a", "b", ".gitignore") },
    { what: "the repository's info/exclude", file: () => join(fixture.repo, ".git", "info", "exclude") },
    { what: "the user's default ignore file", file: () => join(fixture.base, "home", ".config", "git", "ignore") },
    { what: "the user's configured ignore file", file: () => join(fixture.base, "home", "named") },
  ];
  test.each(places)("follows $what immediately, even with unchanged times", async ({ what, file }) => {
    if (what === "the user's configured ignore file") fixture.git("config", "--global", "core.excludesFile", "~/named");
    const ask = rules();
    const isIgnored = async (path: string): Promise<boolean> => (await findIgnored(ask, [path])).has(path);
    for (const folder of ["a/b", ".git/info", "../home/.config/git"])
      mkdirSync(join(fixture.repo, folder), { recursive: true });
    expect(await isIgnored("a/b/one")).toBe(false);
    writeFileSync(file(), "one\n");
    expect(await isIgnored("a/b/one")).toBe(true);
    replaceQuietly(file(), "one", "two");
    expect(await isIgnored("a/b/one")).toBe(false);
    expect(await isIgnored("a/b/two")).toBe(true);
  });
});
