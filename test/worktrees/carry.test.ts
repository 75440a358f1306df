import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { carryOwnFiles } from "../../src/adapters/git/worktree/worktree-carry.ts";
import { toOutcome, useRepository } from "../git/repository-fixture.ts";
import { begin, end, mark, NEXT_RUN, RUN } from "../journal-file/sample-commands.ts";
import { journalIn, type LinkedTree, makeLinkedTree } from "./linked-tree.ts";
import { markRun } from "../support/mark-run.ts";

const fixture = useRepository();
let tree: LinkedTree;
const inMain = (path: string) => join(fixture.repo, ".isdlc", path);

beforeEach(async () => {
  tree = await makeLinkedTree(fixture);
});

async function endedRuns(item: string | null, ...runs: string[]): Promise<void> {
  const journal = journalIn(fixture, tree.path, item);
  for (const run of runs) {
    await journal.create(run, begin(run));
    await journal.submit(run, mark(`of-${run}`));
    await journal.submit(run, end);
  }
  journal.close();
}

describe("history of a removed worktree", () => {
  test.each([null, "REQ-0001-a"])("is readable in the main worktree (item: %s)", async (item) => {
    await endedRuns(item, RUN, NEXT_RUN);
    const told = (root: string) => {
      const journal = journalIn(fixture, root, item);
      return [RUN, NEXT_RUN].map((run) => ({ ...journal.load(run), events: journal.events(run) }));
    };
    const before = told(tree.path);
    expect(before.map(({ state }) => state.is)).toEqual(["ended", "ended"]);
    expect(await tree.remove()).toMatchObject({ ok: true });
    expect(told(fixture.repo)).toEqual(before);
  });

  test("keeps the current run of the main worktree and its clean state", async () => {
    await endedRuns(null, NEXT_RUN);
    await journalIn(fixture, fixture.repo).create(RUN, begin(RUN));
    expect(await tree.remove()).toMatchObject({ ok: true });
    expect(journalIn(fixture, fixture.repo).newest()).toBe(RUN);
    expect(fixture.git("status", "--porcelain")).toBe("");
  });

  test("is copied with other files to a folder with the worktree's name", async () => {
    const files = {
      "state.json": '{"supervised_mode":{"enabled":true}}',
      "work/20261115-101500123-k3f9/plan.md": "the plan",
      "runs/20261115-101500123-k3f9/1.log": "said",
      "history/20261115-101500123-k3f9.json": "{}",
      "odd ü\nname": "mine",
    };
    for (const [name, content] of Object.entries(files)) tree.write(`.isdlc/${name}`, content);
    symlinkSync("/nowhere", join(tree.path, ".isdlc", "link"));
    const removed = await tree.remove();
    expect(removed).toMatchObject({ ok: true, carried: expect.arrayContaining([".isdlc/worktrees/repo-1-a/link"]) });
    for (const [name, content] of Object.entries(files)) {
      const place = name.startsWith("history/") ? name : `worktrees/repo-1-a/${name}`;
      expect(readFileSync(inMain(place), "utf8")).toBe(content);
    }
  });

  test("excludes locks, markers and caches", async () => {
    await endedRuns(null, RUN);
    markRun(tree.path, "docs/a");
    tree.write(".isdlc/driver.1-0123456789abcdef", "{}");
    tree.write(`.isdlc/journal/${RUN}.snap`, "{}");
    const removed = await tree.remove();
    expect(removed).toMatchObject({ ok: true, carried: [`.isdlc/journal/ended/${RUN}.jsonl`] });
  });

  test("overwrites nothing and copies nothing twice", async () => {
    tree.write(`.isdlc/history/${RUN}.json`, "here");
    tree.write(".isdlc/state.json", "second");
    mkdirSync(inMain("history"), { recursive: true });
    mkdirSync(inMain("worktrees/repo-1-a"), { recursive: true });
    writeFileSync(inMain(`history/${RUN}.json`), "there");
    writeFileSync(inMain("worktrees/repo-1-a/state.json"), "first");
    const expected = [`.isdlc/worktrees/repo-1-a/history/${RUN}.json`, ".isdlc/worktrees/repo-1-a-2/state.json"];
    expect((await carryOwnFiles(tree.path, fixture.repo, process.env)).toSorted()).toEqual(expected.toSorted());
    expect((await carryOwnFiles(tree.path, fixture.repo, process.env)).toSorted()).toEqual(expected.toSorted());
    expect(readFileSync(inMain(`history/${RUN}.json`), "utf8")).toBe("there");
    expect(readFileSync(inMain("worktrees/repo-1-a/state.json"), "utf8")).toBe("first");
    expect(readFileSync(inMain("worktrees/repo-1-a-2/state.json"), "utf8")).toBe("second");
  });

  test("stays if .isdlc of the main worktree is a link", async () => {
    tree.write(".isdlc/state.json", "{}");
    mkdirSync(join(fixture.base, "elsewhere"));
    symlinkSync(join(fixture.base, "elsewhere"), join(fixture.repo, ".isdlc"));
    expect(await toOutcome(tree.remove())).toMatchObject({ problem: "UNSAFE_PATH" });
    expect(existsSync(join(tree.path, ".isdlc", "state.json"))).toBe(true);
  });
});
