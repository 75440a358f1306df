import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { repositorySettings } from "../../src/adapters/git/read/repository-settings.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

const valuesOf = async (key: string): Promise<string[]> =>
  (await repositorySettings(fixture.repo, process.env))
    .filter((setting) => setting.key === key)
    .map(({ value }) => value);

/** Has every git that is started from here on leave a line. */
function countGits(): () => number {
  const log = join(fixture.base, "gits");
  const folder = join(fixture.base, "bin");
  const real = realpathSync(execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim());
  mkdirSync(folder);
  writeFileSync(log, "");
  writeFileSync(join(folder, "git"), `#!/bin/sh\necho x >> "${log}"\nexec "${real}" "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  process.env["PATH"] = [folder, process.env["PATH"]].join(delimiter);
  return () => readFileSync(log, "utf8").split("\n").length - 1;
}

/** Other content of the same length, and the time of before: all that an agent can set is as it was. */
function replaceQuietly(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  utimesSync(file, atime, mtime);
}

describe("the settings of a repository", () => {
  test("git is asked once while no file of settings changes", async () => {
    const gits = countGits();
    const first = await repositorySettings(fixture.repo, process.env);
    expect(first.map(({ key }) => key)).toContain("user.name");
    expect(await repositorySettings(fixture.repo, process.env)).toEqual(first);
    expect(gits()).toBe(1);
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
