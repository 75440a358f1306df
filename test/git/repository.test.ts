import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { repositoryAt } from "../../src/adapters/git/read/repository.ts";
import { repositorySettings } from "../../src/adapters/git/read/repository-settings.ts";
import { countGits } from "./count-gits.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const found = async (folder = fixture.repo) => {
  const { top, gitDir } = await repositoryAt(folder, { env: process.env })();
  return { top, gitDir };
};
const here = () => ({ top: fixture.repo, gitDir: join(fixture.repo, ".git") });

beforeEach(async () => {
  fixture.write("a", "1\n");
  fixture.commitAll("First");
  await repositorySettings(fixture.repo, process.env);
});

describe("repository of a folder", () => {
  test("is found by one git while nothing relevant changes", async () => {
    const gits = countGits(fixture.base);
    for (let round = 0; round < 3; round++) expect(await found()).toEqual(here());
    expect(gits()).toBe(1);
  });

  test("is searched each time for a subfolder, as a nested one may appear", async () => {
    const folder = join(fixture.repo, "between", "folder");
    mkdirSync(folder, { recursive: true });
    await repositorySettings(folder, process.env);
    for (let round = 0; round < 2; round++) expect(await found(folder)).toEqual(here());
    fixture.gitIn(join(fixture.repo, "between"), "init", "--quiet");
    expect((await found(folder)).top).toBe(join(fixture.repo, "between"));
  });

  test("changes if the link to it changes", async () => {
    const [link, other] = [join(fixture.base, "link"), join(fixture.base, "other")];
    cpSync(fixture.repo, other, { recursive: true });
    symlinkSync(fixture.repo, link);
    await repositorySettings(link, process.env);
    for (let round = 0; round < 2; round++) expect((await found(link)).top).toBe(fixture.repo);
    rmSync(link);
    symlinkSync(other, link);
    expect((await found(link)).top).toBe(other);
  });

  test("is found after its git folder moved", async () => {
    for (let round = 0; round < 2; round++) await found();
    const moved = join(fixture.base, "moved.git");
    renameSync(join(fixture.repo, ".git"), moved);
    writeFileSync(join(fixture.repo, ".git"), `gitdir: ${moved}\n`);
    expect(await found()).toEqual({ top: fixture.repo, gitDir: moved });
  });

  test.each([
    [".git is deleted", () => rmSync(join(fixture.repo, ".git"), { recursive: true })],
    ["HEAD is deleted", () => rmSync(join(fixture.repo, ".git", "HEAD"))],
    ["the folder is deleted", () => rmSync(fixture.repo, { recursive: true })],
    [
      "a setting names another working tree",
      () => appendFileSync(join(fixture.repo, ".git", "config"), `[core]\n\tworktree = ${fixture.base}\n`),
    ],
  ])("is refused if %s", async (_, change) => {
    for (let round = 0; round < 2; round++) expect(await found()).toEqual(here());
    change();
    await expect(found()).rejects.toMatchObject({ problem: { code: "GIT_UNAVAILABLE" } });
  });
});
