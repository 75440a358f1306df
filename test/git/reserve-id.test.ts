import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createReservedIds } from "../../src/adapters/git/write/reserve-id.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

test("reserves an id once for all worktrees of a repository", async () => {
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

test("gives an id to one of several concurrent callers", async () => {
  fixture.commitAll("one");
  const wanted = Array.from({ length: 8 }, () => createReservedIds(fixture.repo, process.env).reserve("feature-001"));
  expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(1);
});

test("reserves ids in a repository without commits", async () => {
  expect(await createReservedIds(fixture.repo, process.env).reserve("BUG-0001")).toBe(true);
});

test("reports the lock of a killed git, and works after its removal", async () => {
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

test.each(["", "../x", "a b", "-x", "a..b", "x.lock", "heads/main"])("rejects %j as id", async (name) => {
  await expect(createReservedIds(fixture.repo, process.env).reserve(name)).rejects.toMatchObject({
    problem: { code: "GIT_FAILED" },
  });
});
