import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

/** Two branches that changed the same line; `main` is checked out. */
function diverge(): void {
  fixture.write("a", "one\n");
  fixture.commitAll("one");
  fixture.git("checkout", "--quiet", "-b", "side");
  fixture.write("a", "side\n");
  fixture.commitAll("on the side");
  fixture.git("checkout", "--quiet", "main");
  fixture.write("a", "main\n");
  fixture.commitAll("on main");
}

const operations = [
  { name: "a merge", args: ["merge", "side"], leaves: "MERGE_HEAD" },
  { name: "a rebase", args: ["rebase", "side"], leaves: "rebase-merge" },
  { name: "a rebase with patches", args: ["rebase", "--apply", "side"], leaves: "rebase-apply" },
  { name: "a cherry-pick", args: ["cherry-pick", "side"], leaves: "CHERRY_PICK_HEAD" },
];

test.for(operations)("commits nothing during $name, which can continue", async ({ args, leaves }) => {
  diverge();
  expect(() => fixture.git(...args)).toThrow();
  expect(existsSync(join(fixture.repo, ".git", leaves))).toBe(true);
  fixture.write("a", "resolved\n");
  fixture.git("add", "a");
  const before = [fixture.git("rev-parse", "HEAD"), fixture.git("status", "--porcelain")];
  const parent = fixture.git("rev-parse", "HEAD").trim();
  const tree = fixture.git("write-tree").trim();
  const keep = { run: "run", name: "hooked" };
  const at = "2026-11-01T10:15:00.000Z";
  const request = {
    message: "phase: done",
    attempt: "run/01-x#1",
    journal: "7:abc",
    branch: null,
    parent,
    tree,
    at,
    keep,
  };
  expect(await toOutcome(createGitWrite(fixture.repo, agreeing).commit(request))).toMatchObject({
    problem: "GIT_FAILED",
    detail: expect.stringContaining("not finished"),
  });
  expect([fixture.git("rev-parse", "HEAD"), fixture.git("status", "--porcelain")]).toEqual(before);
  expect(existsSync(join(fixture.repo, ".git", leaves))).toBe(true);
});
