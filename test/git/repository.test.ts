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

describe("finding the repository of a folder again", () => {
  test("git is asked once while nothing changes by which it finds one", async () => {
    const gits = countGits(fixture.base);
    for (let round = 0; round < 3; round++) expect(await found()).toEqual(here());
    expect(gits()).toBe(1);
  });

  test("a folder further down is asked about each time: a repository may come to be in between", async () => {
    const folder = join(fixture.repo, "between", "folder");
    mkdirSync(folder, { recursive: true });
    await repositorySettings(folder, process.env);
    for (let round = 0; round < 2; round++) expect(await found(folder)).toEqual(here());
    fixture.gitIn(join(fixture.repo, "between"), "init", "--quiet");
    expect((await found(folder)).top).toBe(join(fixture.repo, "between"));
  });

  test("another folder behind the same link is another repository", async () => {
    const [link, other] = [join(fixture.base, "link"), join(fixture.base, "other")];
    cpSync(fixture.repo, other, { recursive: true });
    symlinkSync(fixture.repo, link);
    await repositorySettings(link, process.env);
    for (let round = 0; round < 2; round++) expect((await found(link)).top).toBe(fixture.repo);
    rmSync(link);
    symlinkSync(other, link);
    expect((await found(link)).top).toBe(other);
  });

  test("a git folder that was moved elsewhere is found there", async () => {
    for (let round = 0; round < 2; round++) await found();
    const moved = join(fixture.base, "moved.git");
    renameSync(join(fixture.repo, ".git"), moved);
    writeFileSync(join(fixture.repo, ".git"), `gitdir: ${moved}\n`);
    expect(await found()).toEqual({ top: fixture.repo, gitDir: moved });
  });

  test.each([
    ["it has no .git any more", () => rmSync(join(fixture.repo, ".git"), { recursive: true })],
    ["its HEAD is gone", () => rmSync(join(fixture.repo, ".git", "HEAD"))],
    ["it is gone", () => rmSync(fixture.repo, { recursive: true })],
    [
      "a setting gives it another working tree",
      () => appendFileSync(join(fixture.repo, ".git", "config"), `[core]\n\tworktree = ${fixture.base}\n`),
    ],
  ])("it is refused once %s", async (_, change) => {
    for (let round = 0; round < 2; round++) expect(await found()).toEqual(here());
    change();
    await expect(found()).rejects.toMatchObject({ problem: { code: "GIT_UNAVAILABLE" } });
  });
});
