import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../../../src/adapters/git/git-workspace.ts";
import { createGitWrite } from "../../../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "../../../git/repository-fixture.ts";
import { commitRequest, mergeRequest } from "../../../git/write-requests.ts";

const fixture = useRepository();
const committed = ["a", "b", "dir/c", "dir/d", "e f"];
const files = [...committed, "new", "dir/new", "-dash"];
const at = (path: string) => join(fixture.repo, path);

const edit = fc.record({
  path: fc.constantFrom(...files),
  what: fc.constantFrom("write", "write", "stage", "stage-then-write", "delete", "delete-staged", "link"),
  content: fc.constantFrom("1", "2", "3", "long\n".repeat(30)),
});
type Edit = { path: string; what: string; content: string };
const edits = fc.array(edit, { minLength: 1, maxLength: 8 });
const some = fc.subarray(files);

function apply({ path, what, content }: Edit): void {
  if (existsSync(at(path)) || what === "link") rmSync(at(path), { force: true });
  if (what === "link") symlinkSync(content.slice(0, 4).trim(), at(path));
  if (what === "write") fixture.write(path, content);
  if (what.startsWith("stage")) {
    fixture.write(path, `${content}staged`);
    fixture.git("add", "--", path);
  }
  if (what === "stage-then-write") fixture.write(path, content);
  if (what === "delete-staged") fixture.git("rm", "--quiet", "--force", "--cached", "--ignore-unmatch", "--", path);
}

function start(chosen: readonly Edit[]): void {
  fixture.git("switch", "--quiet", "--force", "main");
  fixture.git("reset", "--quiet", "--hard", "start");
  fixture.git("clean", "-fdq");
  chosen.forEach(apply);
  for (const line of fixture.git("status", "--porcelain").split("\n")) reached.add(line.slice(0, 2));
}

const reached = new Set<string>();

/** Content and kind of every file, and its staged content. */
function look(): Map<string, string> {
  const staged = new Map(
    fixture
      .git("ls-files", "-s", "-z")
      .split("\0")
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, 47)]),
  );
  const onDisk = (path: string) => {
    const found = lstatSync(at(path), { throwIfNoEntry: false });
    if (!found) return "none";
    return found.isSymbolicLink()
      ? `link ${readlinkSync(at(path))}`
      : `file ${found.mode} ${readFileSync(at(path), "utf8")}`;
  };
  return new Map(files.map((path) => [path, `${onDisk(path)} | ${staged.get(path) ?? "not staged"}`]));
}

const without = (seen: Map<string, string>, paths: readonly string[]) =>
  new Map([...seen].filter(([path]) => !paths.includes(path)));
const bytesOnly = (seen: Map<string, string>) =>
  [...seen].map(([path, what]) => [path, what.slice(0, what.lastIndexOf(" | "))]);
const settings = { numRuns: 20, seed: 20_240_601 };

describe("uncommitted user changes", () => {
  beforeEach(() => {
    for (const path of committed) fixture.write(path, "1");
    fixture.commitAll("one");
    fixture.git("tag", "start");
    reached.clear();
  });

  test("survive a snapshot and startBranch unchanged", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(edits, async (chosen) => {
        start(chosen);
        const before = look();
        await createGitWorkspace(fixture.repo, { run: "run", env: process.env }).snapshot("one", ["new"]);
        expect(look()).toEqual(before);
        await createGitWrite(fixture.repo, agreeing).startBranch(`side-${++count}`, fixture.git("rev-parse", "start"));
        expect(look()).toEqual(before);
      }),
      settings,
    );
    for (const kind of ["??", " M", "M ", "MM", "A ", " D", "D "]) expect(reached).toContain(kind);
  });

  test("enter a commit only under the given paths, as they are on disk", async () => {
    let attempt = 0;
    await fc.assert(
      fc.asyncProperty(edits, some, async (chosen, paths) => {
        start(chosen);
        const before = look();
        const request = await commitRequest(fixture, paths, `a${++attempt}`);
        const committed = await createGitWrite(fixture.repo, agreeing).commit(request);
        const made = committed.is === "done" ? committed.commit : null;
        const after = look();
        expect(bytesOnly(after)).toEqual(bytesOnly(before));
        expect(without(after, paths)).toEqual(without(before, paths));
        const inCommit =
          made === null
            ? []
            : fixture.git("show", "--name-only", "--no-renames", "-z", "--format=", made).split("\0").filter(Boolean);
        expect(paths).toEqual(expect.arrayContaining(inCommit));
        const unsaved = fixture
          .git("diff", "--name-only", "-z", "HEAD")
          .split("\0")
          .filter((path) => paths.includes(path));
        if (made !== null) expect(unsaved).toEqual([]);
      }),
      settings,
    );
    for (const kind of ["??", " M", "M ", "MM", "A ", " D", "D "]) expect(reached).toContain(kind);
  });

  test("survive a restore of other paths, including staged content", async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, some, async (first, second, paths) => {
        start(first);
        const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
        const atFirst = look();
        const tree = await workspace.snapshot("one", []);
        second.forEach(apply);
        const before = look();
        await workspace.restore(tree!, paths);
        const after = look();
        expect(without(after, paths)).toEqual(without(before, paths));
        const chosen = (seen: Map<string, string>) =>
          bytesOnly(
            without(
              seen,
              files.filter((path) => !paths.includes(path)),
            ),
          );
        expect(chosen(after)).toEqual(chosen(atFirst));
        const staged = (seen: Map<string, string>) =>
          [...seen.values()].map((what) => what.slice(what.lastIndexOf(" | ")));
        expect(staged(after)).toEqual(staged(before));
      }),
      settings,
    );
  });

  test("are carried through a merge, or block it without changes", async () => {
    fixture.git("switch", "--quiet", "-c", "feature");
    fixture.write("a", "feature");
    fixture.write("from-feature", "1");
    fixture.commitAll("two");
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(edits, async (chosen) => {
        fixture.git("switch", "--quiet", "--force", "main");
        fixture.git("reset", "--quiet", "--hard", "start");
        fixture.git("clean", "-fdq");
        fixture.git("switch", "--quiet", "feature");
        chosen.forEach(apply);
        const before = look();
        const outcome = await toOutcome(createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture)));
        const branch = fixture.git("branch", "--show-current");
        outcomes.add(branch);
        if ("is" in outcome) expect([outcome.is, branch]).toEqual(["merged", "main"]);
        else expect([outcome.problem, branch]).toEqual(["GIT_FAILED", "feature"]);
        expect(look()).toEqual(before);
      }),
      settings,
    );
    expect(outcomes).toEqual(new Set(["main", "feature"]));
  });
});
