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

describe("settings of a repository", () => {
  test("are read by one git while the files are unchanged", async () => {
    const gits = countGits(fixture.base);
    const first = await repositorySettings(fixture.repo, process.env);
    expect(first.map(({ key }) => key)).toContain("user.name");
    expect(await repositorySettings(fixture.repo, process.env)).toEqual(first);
    expect(gits()).toBe(1);
  });

  test("are cached separately for two users of a working tree", async () => {
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
    { what: "the worktree's file", file: () => join(fixture.repo, ".git", "config.worktree") },
    { what: "the user's file", file: () => join(fixture.base, "home", ".gitconfig") },
    { what: "the user's XDG file", file: () => join(fixture.base, "home", ".config", "git", "config") },
  ];
  test.each(places)("follow a changed value in $what immediately, even with unchanged times", async ({ file }) => {
    fixture.git("config", "extensions.worktreeConfig", "true");
    mkdirSync(dirname(file()), { recursive: true });
    appendFileSync(file(), "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
    replaceQuietly(file(), "one", "two");
    expect(await valuesOf("core.sshcommand")).toEqual(["two"]);
  });

  test.each(places)("follow $what once it is created", async ({ file }) => {
    fixture.git("config", "extensions.worktreeConfig", "true");
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    mkdirSync(dirname(file()), { recursive: true });
    appendFileSync(file(), "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
  });

  test("are never cached for included files", async () => {
    const included = join(fixture.base, "included");
    fixture.git("config", "include.path", included);
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    writeFileSync(included, "[core]\n\tsshCommand = one\n");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
    replaceQuietly(included, "one", "two");
    expect(await valuesOf("core.sshcommand")).toEqual(["two"]);
  });

  test("follow the branch for an include by branch", async () => {
    const included = join(fixture.base, "included");
    writeFileSync(included, "[core]\n\tsshCommand = one\n");
    fixture.git("config", "includeIf.onbranch:other.path", included);
    expect(await valuesOf("core.sshcommand")).toEqual([]);
    fixture.git("symbolic-ref", "HEAD", "refs/heads/other");
    expect(await valuesOf("core.sshcommand")).toEqual(["one"]);
  });
});
