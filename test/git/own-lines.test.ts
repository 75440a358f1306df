import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import { mergeRequest } from "./write-requests.ts";

const fixture = useRepository();
const lines = (...changed: string[]): string => [...changed, "2", "3", "4", "5", "6", "7", "8", ""].join("\n");
const read = (path: string): string => readFileSync(join(fixture.repo, path), "utf8");

describe("file with uncommitted user changes", () => {
  const rows = [
    {
      what: "agent changes elsewhere",
      mine: lines("mine"),
      after: `${lines("mine")}end\n`,
      tree: `${lines("1")}end\n`,
      mixed: [],
    },
    {
      what: "agent changes in the same place",
      mine: lines("mine"),
      after: lines("ours"),
      tree: lines("1"),
      mixed: ["a"],
    },
    { what: "deletion by the agent", mine: lines("mine"), after: null, tree: lines("1"), mixed: ["a"] },
  ];

  test.each(rows)("commits only separable changes: $what", async ({ mine, after, tree, mixed }) => {
    fixture.write("a", lines("1"));
    const head = fixture.commitAll("one");
    fixture.write("a", mine);
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const from = (await workspace.snapshot("before", [])) ?? "";
    if (after === null) fixture.git("rm", "--quiet", "--force", "a");
    else fixture.write("a", after);
    fixture.write("b", "new\n");
    const to = (await workspace.snapshot("after", [])) ?? "";
    const request = { onto: head, from, to, include: [] };
    const write = createGitWrite(fixture.repo, agreeing);
    const composed = await write.compose(request);
    expect(composed.mixed).toEqual(mixed);
    expect(`${fixture.git("show", `${composed.tree}:a`)}\n`).toBe(tree);
    expect(fixture.git("show", `${composed.tree}:b`)).toBe("new");
    const together = await write.compose({ ...request, together: mixed });
    expect(together.mixed).toEqual(mixed);
    if (after === lines("ours")) expect(`${fixture.git("show", `${together.tree}:a`)}\n`).toBe(after);
  });

  test.each([
    { what: "keeps the agent's commit if the user changes nothing", mine: "", tree: lines("again"), mixed: [] },
    { what: "marks the file as overlapping if the user changes it", mine: "mine\n", tree: lines("ours"), mixed: ["a"] },
  ])("$what after a return", async ({ mine, tree, mixed }) => {
    fixture.write("a", lines("1"));
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const from = (await workspace.snapshot("before", [])) ?? "";
    fixture.write("a", lines("ours"));
    const onto = fixture.commitAll("two");
    fixture.write("a", `${mine}${lines("ours")}`);
    const returned = (await workspace.snapshot("returned", [])) ?? "";
    fixture.write("a", lines("again"));
    const to = (await workspace.snapshot("after", [])) ?? "";
    const write = createGitWrite(fixture.repo, agreeing);
    const composed = await write.compose({ onto, from, to, returned, include: [] });
    expect(composed.mixed).toEqual(mixed);
    expect(`${fixture.git("show", `${composed.tree}:a`)}\n`).toBe(tree);
  });

  test("keeps an untracked user file uncommitted if an agent writes to it", async () => {
    fixture.write("a", "1\n");
    const head = fixture.commitAll("one");
    fixture.write("notes", "mine\n");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const from = (await workspace.snapshot("before", [])) ?? "";
    fixture.write("notes", "mine\nours\n");
    const to = (await workspace.snapshot("after", [])) ?? "";
    const composed = await createGitWrite(fixture.repo, agreeing).compose({ onto: head, from, to, include: [] });
    expect(composed.mixed).toEqual(["notes"]);
    expect(fixture.git("ls-tree", "--name-only", composed.tree)).toBe("a");
  });
});

describe("merge with uncommitted changes in a file of the branch", () => {
  const begin = (): void => {
    fixture.write("a", lines("1"));
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "--create", "feature");
    fixture.write("a", `${lines("1")}end\n`);
    fixture.commitAll("two");
    fixture.write("a", `${lines("mine")}end\n`);
  };

  test("runs hooks and keeps the changes", async () => {
    begin();
    fixture.hook("commit-msg", 'echo "seen by a hook" >> "$1"');
    const outcome = await createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture));
    expect(outcome).toEqual({ is: "merged", commit: fixture.git("rev-parse", "main") });
    expect(fixture.git("log", "-1", "--format=%B", "main")).toContain("seen by a hook");
    expect(fixture.git("branch", "--show-current")).toBe("main");
    expect(read("a")).toBe(`${lines("mine")}end\n`);
    expect(fixture.git("show", "main:a")).toBe(`${lines("1")}end`);
    expect(fixture.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("continues if it was interrupted before the switch to the base", async () => {
    begin();
    const request = mergeRequest(fixture);
    const write = createGitWrite(fixture.repo, agreeing);
    await write.merge(request);
    const merged = fixture.git("rev-parse", "main");
    fixture.git("switch", "--quiet", "feature");
    expect(await write.merge(request)).toEqual({ is: "merged", commit: merged });
    expect(fixture.git("branch", "--show-current")).toBe("main");
    expect(read("a")).toBe(`${lines("mine")}end\n`);
  });

  test("is refused without changes if the base changed the file too", async () => {
    begin();
    fixture.write("a", `${lines("1")}end\n`);
    fixture.git("switch", "--quiet", "main");
    fixture.write("a", lines("1").replace("4", "four"));
    fixture.commitAll("three");
    fixture.git("switch", "--quiet", "feature");
    fixture.write("a", `${lines("mine")}end\n`);
    const main = fixture.git("rev-parse", "main");
    const outcome = await toOutcome(createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture)));
    expect(outcome).toMatchObject({ problem: "GIT_FAILED", detail: expect.stringContaining("uncommitted lines") });
    expect(fixture.git("rev-parse", "main")).toBe(main);
    expect(fixture.git("branch", "--show-current")).toBe("feature");
    expect(read("a")).toBe(`${lines("mine")}end\n`);
  });

  test("undoes and reports a change by a hook", async () => {
    begin();
    const another = `git commit-tree -p HEAD^1 -p HEAD^2 -m other $(git write-tree)`;
    fixture.hook("post-merge", `echo 1 > sneaked; git add sneaked; git update-ref HEAD $(${another})`);
    const main = fixture.git("rev-parse", "main");
    const outcome = await createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture));
    expect(outcome).toEqual({ is: "changed", changes: [{ path: "sneaked", change: "added" }] });
    expect(fixture.git("rev-parse", "main")).toBe(main);
    expect(read("a")).toBe(`${lines("mine")}end\n`);
  });
});
