import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositorySettings } from "../../src/adapters/git/read/repository-settings.ts";
import { countGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

const valuesOf = async (key: string): Promise<string[]> =>
  (await repositorySettings(fixture.repo, process.env))
    .filter((setting) => setting.key === key)
    .map(({ value }) => value);

describe("the settings of a repository", () => {
  test("git is asked once while no file of settings changes", async () => {
    const gits = countGits(fixture.base);
    const first = await repositorySettings(fixture.repo, process.env);
    expect(first.map(({ key }) => key)).toContain("user.name");
    expect(await repositorySettings(fixture.repo, process.env)).toEqual(first);
    expect(gits()).toBe(1);
  });

  test("those of two people in one tree are remembered beside each other", async () => {
    const other = { ...process.env, HOME: join(fixture.base, "other") };
    mkdirSync(other.HOME);
    writeFileSync(join(other.HOME, ".gitconfig"), "[core]\n\tsshCommand = theirs\n");
    const gits = countGits(fixture.base);
    for (let round = 0; round < 2; round++) {
      expect(await valuesOf("core.sshcommand")).toEqual([]);
      const found = await repositorySettings(fixture.repo, { ...other, PATH: process.env["PATH"] });
      expect(found.map(({ value }) => value)).toContain("theirs");
    }
    expect(gits()).toBe(2);
  });

  const places: readonly { what: string; file: () => string }[] = [
    { what: "the repository's file", file: () => join(fixture.repo, ".git", "config") },
    { what: "the working tree's file", file: () => join(fixture.repo, ".git", "config.worktree") },
    { what: "the person's file", file: () => join(fixture.base, "home", ".gitconfig") },
    { what: "the person's other file", file: () => join(fixture.base, "home", ".config", "git", "config") },
  ];
  test.each(places)("another value in $what counts at once, whatever its times say", async ({ file }) => {
    fixture.git("config", "extensions.worktreeConfig", "true");
    mkdirSync(dirname(file()), { recursive: true });
    appendFileSync(file(), "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
    replaceQuietly(file(), "one", "two");
    expect(await valuesOf("core.sshcommand")).toEqual(["two"]);
  });

  test.each(places)("$what counts once it appears", async ({ file }) => {
    fixture.git("config", "extensions.worktreeConfig", "true");
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    mkdirSync(dirname(file()), { recursive: true });
    appendFileSync(file(), "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
  });

  test("what an include leads to is never remembered", async () => {
    const included = join(fixture.base, "included");
    fixture.git("config", "include.path", included);
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    writeFileSync(included, "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
    replaceQuietly(included, "one", "two");
    expect(await valuesOf("core.sshcommand")).toEqual(["two"]);
  });

  test("what an include by branch leads to follows the branch", async () => {
    const included = join(fixture.base, "included");
    writeFileSync(included, "[core]\n\tsshCommand = one\n");
    fixture.git("config", "includeIf.onbranch:other.path", included);
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    fixture.git("symbolic-ref", "HEAD", "refs/heads/other");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
  });
});
