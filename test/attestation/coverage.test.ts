import { describe, expect, test } from "vitest";
import type { Coverage } from "../../src/core/attestation/coverage.ts";
import { createStudio, type Commit, type Studio } from "./studio.ts";

/** Coverage of each commit from `verify`, oldest first. */
async function coverageOf(studio: Studio, range: string): Promise<readonly Coverage[]> {
  const { commits } = await studio.verify("isdlc", { range });
  return commits.map(({ coverage }) => coverage);
}

/** A repository with a signed run. The statement is noted as the program does it. */
async function signedStudio(others: (studio: Studio) => readonly Commit[] = () => []): Promise<Studio> {
  const studio = createStudio();
  const { statement } = studio;
  const git = { ...statement.predicate.git, others: [...others(studio)] };
  const line = await studio.sign({ ...statement, predicate: { ...statement.predicate, git } });
  const objects = studio.made.flatMap(({ commit, tree }) => [commit, tree]);
  studio.note("isdlc", line, ...objects, ...git.others.map(({ commit }) => commit));
  return studio;
}

const ATTEMPT = "Isdlc-Attempt: 20261101-101500123-k3f9/implement#1";

describe("approved commits that a host rewrites without changes are covered", () => {
  test("after a squash onto the first base", async () => {
    const studio = await signedStudio();
    const squash = studio.commit(studio.start.commit, "second\n", "Squashed (#7)");
    expect(await coverageOf(studio, `main..${squash.commit}`)).toMatchObject([{ by: "landing" }]);
  });

  test("after a rebase with new commits of the same trees", async () => {
    const studio = await signedStudio();
    const again = studio.commit(studio.start.commit, "first\n", "Plan, again");
    const last = studio.commit(again.commit, "second\n", "Implement, again");
    expect(await coverageOf(studio, `main..${last.commit}`)).toMatchObject([{ by: "landing" }, { by: "landing" }]);
  });

  test("after a squash onto a moved base with the same tree", async () => {
    const studio = await signedStudio();
    const moved = studio.commit(studio.start.commit, "start\n", "Nothing new");
    const squash = studio.commit(moved.commit, "second\n", "Squashed");
    expect(await coverageOf(studio, `${moved.commit}..${squash.commit}`)).toMatchObject([{ by: "landing" }]);
  });

  test("in a merge commit, even if the base changed another file", async () => {
    const studio = await signedStudio();
    const merge = studio.git("commit-tree", studio.made[1].tree, "-p", "main", "-p", "work", "-m", "Merge");
    expect((await coverageOf(studio, `main..${merge}`)).at(-1)).toMatchObject({ by: "merge" });
    const blob = studio.git("rev-parse", `${studio.start.commit}:file.txt`);
    const tree = studio.tree({ "file.txt": blob, "other.txt": blob });
    const moved = studio.git("commit-tree", tree, "-p", "main", "-m", "Elsewhere");
    const mixed = studio.tree({ "file.txt": studio.git("rev-parse", "work:file.txt"), "other.txt": blob });
    const plain = studio.git("commit-tree", mixed, "-p", moved, "-p", "work", "-m", "Merge");
    expect((await coverageOf(studio, `${moved}..${plain}`)).map(({ by }) => by)).toEqual(["state", "state", "merge"]);
  });
});

describe("commits that are not covered", () => {
  test("include a merge with additional changes", async () => {
    const studio = await signedStudio();
    const evil = studio.commit(studio.start.commit, "slipped in\n");
    const merge = studio.git("commit-tree", evil.tree, "-p", "main", "-p", "work", "-m", "Merge");
    expect((await coverageOf(studio, `main..${merge}`)).at(-1)).toMatchObject({ by: null, code: "MERGE_DIFFERS" });
  });

  test("include a revert to a tree approved earlier", async () => {
    const studio = await signedStudio();
    const fix = studio.commit(studio.made[1].commit, "the fix of a hole\n");
    const replay = studio.commit(fix.commit, "second\n", "Tidy up");
    expect((await coverageOf(studio, `${fix.commit}..${replay.commit}`))[0]).toMatchObject({ by: null });
  });

  test("include an amended commit", async () => {
    const studio = await signedStudio();
    const amended = studio.commit(studio.made[0].commit, "second, and more\n", `Implement\n\n${ATTEMPT}`);
    const [, last] = await coverageOf(studio, `main..${amended.commit}`);
    expect(last).toMatchObject({ by: null, code: "CHANGED" });
  });

  test("include a squash onto a changed base", async () => {
    const studio = await signedStudio();
    const moved = studio.commit(studio.start.commit, "somebody else was here\n");
    const message = `Squashed\n\n* Plan\n\nIsdlc-Attempt: 20261101-101500123-k3f9/plan#1\n\n* Implement\n\n${ATTEMPT}\n\nCo-authored-by: Ada <ada@example.org>`;
    const squash = studio.commit(moved.commit, "both\n", message);
    expect((await coverageOf(studio, `${moved.commit}..${squash.commit}`))[0]).toMatchObject({
      code: "CHANGED",
    });
  });

  test("include a commit by an agent outside of a run", async () => {
    const studio = await signedStudio();
    const message = "Quick fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
    const agents = studio.commit(studio.made[1].commit, "quick\n", message);
    expect((await coverageOf(studio, `work..${agents.commit}`))[0]).toEqual({
      by: null,
      code: "AGENT",
      detail: "made by Claude Code outside of a run",
    });
  });

  test("include a commit by hand", async () => {
    const studio = await signedStudio();
    const hand = studio.commit(studio.made[1].commit, "by hand\n", "By hand");
    expect((await coverageOf(studio, `work..${hand.commit}`))[0]).toMatchObject({ by: null, code: "BY_HAND" });
  });

  test("include a commit on the run's branch that the run did not make", async () => {
    let beside: Commit | null = null;
    const studio = await signedStudio((made) => [(beside = made.commit(made.made[1].commit, "beside\n", "Beside"))]);
    expect((await coverageOf(studio, `work..${(beside as Commit | null)?.commit}`))[0]).toMatchObject({
      code: "NOT_BY_RUN",
    });
  });

  test("include a commit that only claims to belong to a run", async () => {
    const studio = await signedStudio();
    const message = "Trust me\n\nIsdlc-Attempt: 20261101-101500123-aaaa/implement#1";
    const claims = studio.commit(studio.made[1].commit, "claims\n", message);
    expect((await coverageOf(studio, `work..${claims.commit}`))[0]).toMatchObject({ code: "UNSIGNED" });
  });

  test("include a commit replaced by an approved one", async () => {
    const studio = await signedStudio();
    const evil = studio.commit(studio.made[0].commit, "evil\n", "Implement");
    studio.git("replace", evil.commit, studio.made[1].commit);
    expect(studio.git("log", "-1", "--format=%T", evil.commit)).toBe(studio.made[1].tree);
    const [, last] = await coverageOf(studio, `main..${evil.commit}`);
    expect(last).toMatchObject({ by: null });
  });
});

describe("commit range", () => {
  test.for([
    ["work", 2],
    ["main..work", 2],
    [`${"0".repeat(40)}..work`, 3],
    ["work~1", 1],
  ] as const)("resolves %s to %i commits", async ([range, count]) => {
    const studio = await signedStudio();
    expect(await coverageOf(studio, range)).toHaveLength(count);
  });

  test.for(["nowhere", "main..nowhere", "--all", "", "-n1", "main..--output=x"])("rejects %j", async (range) => {
    const studio = await signedStudio();
    await expect(coverageOf(studio, range)).rejects.toMatchObject({ problem: { code: "COMMITS_UNKNOWN" } });
  });
});

test("merges signers of equal statements", async () => {
  const studio = await signedStudio();
  const lines = [await studio.sign(studio.statement), await studio.sign(studio.statement, studio.keys.ben)];
  studio.note("both", lines.join("\n"), studio.made[1].commit);
  const { commits, statements } = await studio.verify("both");
  expect(commits.every(({ coverage }) => coverage.by === "state")).toBe(true);
  expect(statements.map(({ signers }) => signers.map(({ signer }) => signer).toSorted())).toEqual([
    ["ada@example.org", "ben@example.org"],
  ]);
});

test("uses the statement with more of the journal if two describe a run", async () => {
  const studio = await signedStudio();
  const { predicate } = studio.statement;
  const later = {
    ...studio.statement,
    predicate: { ...predicate, sandbox: false, journal: { ...predicate.journal, seq: 60 } },
  };
  studio.note(
    "later",
    [await studio.sign(later), await studio.sign(studio.statement)].join("\n"),
    studio.made[1].commit,
  );
  expect((await studio.verify("later")).statements.map(({ statement }) => statement.predicate.sandbox)).toEqual([
    false,
  ]);
});

test("accepts a statement from a file and reports an invalid one", async () => {
  const studio = createStudio();
  const line = await studio.sign(studio.statement);
  const { commits } = await studio.verify("none", { handed: [line] });
  expect(commits.map(({ coverage }) => coverage.by)).toEqual(["state", "state"]);
  const bad = await studio.verify("none", { handed: [line.slice(1)] });
  expect([bad.commits[0]?.coverage.by, bad.refused.length]).toEqual([null, 1]);
});
