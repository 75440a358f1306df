import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import { mergeRequest } from "./write-requests.ts";

const fixture = useRepository();
const status = () => fixture.git("status", "--porcelain");
const vcs = () => createGitWrite(fixture.repo, agreeing);
const squashOf = () => ({ ...mergeRequest(fixture), message: "Add b and c", isSquash: true });

/** A branch with two commits, and a base with one commit since the branch started. */
function branches(): void {
  fixture.write("a", "1\n");
  fixture.write("other", "1\n");
  fixture.commitAll("one");
  fixture.git("switch", "--quiet", "-c", "feature");
  for (const name of ["b", "c"]) {
    fixture.write(name, "1\n");
    fixture.commitAll(name);
  }
}

test("squashes a branch to one commit on the base and keeps uncommitted work", async () => {
  branches();
  fixture.write("other", "mine\n");
  const base = fixture.git("rev-parse", "main");
  const squash = squashOf();
  const made = await vcs().merge(squash);
  expect(made).toEqual({ is: "merged", commit: fixture.git("rev-parse", "main") });
  expect(fixture.git("log", "-1", "--format=%P|%s", "main")).toBe(`${base}|Add b and c`);
  expect(fixture.git("rev-parse", "main^{tree}")).toBe(fixture.git("rev-parse", "feature^{tree}"));
  expect(fixture.git("log", "-1", "--format=%(trailers:key=Isdlc-Squashed,valueonly)", "main").trim()).toBe(
    squash.commit,
  );
  expect([fixture.git("branch", "--show-current"), status()]).toEqual(["main", " M other"]);
});

test("finds the squash commit when repeated and after the base advanced", async () => {
  branches();
  const squash = squashOf();
  expect(await vcs().isMerged(squash)).toBe(false);
  const made = await vcs().merge(squash);
  fixture.git("switch", "--quiet", "feature");
  expect(await vcs().merge(squash)).toEqual(made);
  fixture.write("d", "1\n");
  fixture.commitAll("further");
  expect(await vcs().isMerged(squash)).toBe(true);
  expect(fixture.git("rev-list", "--count", "main")).toBe("3");
});

test("reports a moved base or branch and changes nothing", async () => {
  branches();
  const squash = squashOf();
  fixture.write("d", "1\n");
  fixture.commitAll("more on the branch");
  expect(await vcs().merge(squash)).toEqual({ is: "moved" });
  expect(fixture.git("rev-list", "--count", "main")).toBe("1");
});

test("lists the files of a conflict and changes nothing", async () => {
  branches();
  fixture.git("switch", "--quiet", "main");
  fixture.write("b", "other\n");
  fixture.commitAll("other b");
  fixture.git("switch", "--quiet", "feature");
  expect(await toOutcome(vcs().merge(squashOf()))).toMatchObject({ problem: "MERGE_CONFLICT" });
  expect(fixture.git("branch", "--show-current")).toBe("feature");
  expect(status()).toBe("");
});

test("keeps a file in the way and returns to the user's branch", async () => {
  branches();
  fixture.git("switch", "--quiet", "main");
  fixture.write("b", "mine\n");
  const squash = squashOf();
  expect(await toOutcome(vcs().merge(squash))).toMatchObject({ problem: expect.any(String) });
  expect(fixture.git("rev-parse", "main")).toBe(squash.onto);
  expect(existsSync(join(fixture.repo, "b"))).toBe(true);
  expect(status()).toBe("?? b");
});

test("returns the unchanged base if the branch has no new commits", async () => {
  fixture.write("a", "1");
  const head = fixture.commitAll("one");
  fixture.git("branch", "feature");
  expect(await vcs().merge(squashOf())).toEqual({ is: "merged", commit: head });
});
