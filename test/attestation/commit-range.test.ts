import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitRange } from "../../src/adapters/attestation/commit-range.ts";
import { historyGit } from "../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../src/adapters/attestation/isolated-git.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];

function createRepository() {
  const root = mkdtempSync(join(tmpdir(), "isdlc-range-"));
  onTestFinished(() => removeTemporary(root));
  const git = (...args: string[]) => execFileSync("git", [...IDENTITY, ...args], { cwd: root, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  const commit = (subject: string) => git("commit", "-q", "--allow-empty", "-m", subject);
  const readSubjects = async (range: string): Promise<string[]> => {
    const isolated = await historyGit(root, process.env);
    const { commits } = await withIsolatedGit(isolated, (inside) => commitRange(inside, range));
    return commits.map(({ subject }) => subject);
  };
  return { git, commit, readSubjects };
}

test("excludes the base's history before the forks of merged branches", async () => {
  const { git, commit, readSubjects } = createRepository();
  commit("start");
  for (const [at, subject] of ["one", "two", "three", "four"].entries()) {
    commit(subject);
    if (at === 0 || at === 2) git("branch", `side-${at}`);
  }
  git("branch", "base");
  for (const side of ["side-0", "side-2"]) {
    git("checkout", "-q", side);
    commit(`work on ${side}`);
    git("checkout", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", `merge ${side}`, side);
  }
  expect((await readSubjects("base..main")).toSorted()).toEqual([
    "merge side-0",
    "merge side-2",
    "work on side-0",
    "work on side-2",
  ]);
});
