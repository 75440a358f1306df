import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createReservedIds } from "../../src/adapters/git/write/reserve-id.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

test("a name is reserved once, for every working tree of the repository", async () => {
  fixture.commitAll("one");
  fixture.git("worktree", "add", "--quiet", "-b", "other", "../linked");
  const [here, there] = [
    createReservedIds(fixture.repo, process.env),
    createReservedIds(join(fixture.base, "linked"), process.env),
  ];
  expect(await here.reserve("REQ-0007")).toBe(true);
  expect(await there.reserve("REQ-0007")).toBe(false);
  expect(await there.names()).toEqual(["REQ-0007"]);
});

test("of many who want one name at once, one gets it", async () => {
  fixture.commitAll("one");
  const wanted = Array.from({ length: 8 }, () => createReservedIds(fixture.repo, process.env).reserve("feature-001"));
  expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(1);
});

test("a repository without a commit has room for names too", async () => {
  expect(await createReservedIds(fixture.repo, process.env).reserve("BUG-0001")).toBe(true);
});

test("a lock that a killed git left on a name is named, and removed by hand it is in nobody's way", async () => {
  const lock = join(fixture.repo, ".git/refs/isdlc/ids/BUG-0001.lock");
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, "");
  const ids = createReservedIds(fixture.repo, process.env);
  await expect(ids.reserve("BUG-0001")).rejects.toMatchObject({
    problem: { code: "GIT_FAILED", detail: expect.stringContaining(lock) },
  });
  rmSync(lock);
  expect(await ids.reserve("BUG-0001")).toBe(true);
});

test.each(["", "../x", "a b", "-x", "a..b", "x.lock", "heads/main"])("%j is no name to reserve", async (name) => {
  await expect(createReservedIds(fixture.repo, process.env).reserve(name)).rejects.toMatchObject({
    problem: { code: "GIT_FAILED" },
  });
});
