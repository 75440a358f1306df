import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { historyGit } from "../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../src/adapters/attestation/isolated-git.ts";
import { fileInHistory, resolveCommit } from "../../src/adapters/attestation/resolve-commit.ts";
import { createStudio, type Studio } from "./studio.ts";

const isolated = async <T>(studio: Studio, use: Parameters<typeof withIsolatedGit<T>>[1]): Promise<T> =>
  withIsolatedGit(await historyGit(studio.root, process.env), use);

const resolved = (studio: Studio, name: string) => isolated(studio, (git) => resolveCommit(git, name));

describe("short name", () => {
  const studio = createStudio();
  const [first, second] = studio.made;

  test.for<[string, string, string]>([
    ["a branch", "work", second.commit],
    ["a full ref", "refs/heads/work", second.commit],
    ["part of a ref", "heads/work", second.commit],
    ["a parent commit", "work~1", first.commit],
    ["several steps", "work^~1", studio.start.commit],
    ["a full id", second.commit, second.commit],
    ["an abbreviated id", second.commit.slice(0, 12), second.commit],
  ])("resolves to a commit by %s", async ([, name, commit]) => {
    expect(await resolved(studio, name)).toMatchObject({ commit });
  });

  test.for(["nothing", "work~9", "work^2", "", "--all", "-n1", "work@{0}", ":/Work", "work:file.txt", "wor*", "a\nb"])(
    "resolves to null for %j",
    async (name) => {
      expect(await resolved(studio, name)).toBeNull();
    },
  );

  test.for<[string, string]>([
    ["main", "refs/tags/main"],
    ["main", "refs/main"],
    ["main", "refs/remotes/main"],
    ["main", "refs/remotes/main/HEAD"],
    ["origin/main", "refs/tags/origin/main"],
    ["origin/main", "refs/heads/origin/main"],
    ["origin/main", "refs/origin/main"],
  ])("is rejected: %s if %s exists too", async ([name, other]) => {
    const own = createStudio();
    own.git("update-ref", "refs/remotes/origin/main", own.start.commit);
    expect(await resolved(own, name)).toMatchObject({ commit: own.start.commit });
    own.git("update-ref", other, own.made[1].commit);
    await expect(resolved(own, name)).rejects.toMatchObject({ problem: { code: "COMMITS_AMBIGUOUS", named: name } });
    const full = name === "main" ? "refs/heads/main" : "refs/remotes/origin/main";
    expect(await resolved(own, full)).toMatchObject({ commit: own.start.commit, ref: full });
  });

  test("is rejected if a branch name starts a commit id", async () => {
    const own = createStudio();
    const digits = own.made[1].commit.slice(0, 8);
    own.git("update-ref", `refs/heads/${digits}`, own.start.commit);
    await expect(resolved(own, digits)).rejects.toMatchObject({ problem: { code: "COMMITS_AMBIGUOUS" } });
  });

  test("is not read from a file such as .git/main", async () => {
    const own = createStudio();
    writeFileSync(join(own.root, ".git/main"), `${own.made[1].commit}\n`);
    expect(own.git("rev-parse", "main")).toBe(own.made[1].commit);
    expect(await resolved(own, "main")).toMatchObject({ commit: own.start.commit });
  });

  test("resolves to the commit of an annotated tag", async () => {
    const own = createStudio();
    own.git("tag", "--annotate", "--message", "x", "v1", "work");
    expect(await resolved(own, "v1")).toMatchObject({ commit: own.made[1].commit, ref: "refs/tags/v1" });
  });
});

describe("file named by commit and path", () => {
  const studio = createStudio();
  const blob = studio.git("rev-parse", "main:file.txt");
  const folder = studio.git("write-tree"); // An empty name.
  const nested = studio.tree({ "a.txt": blob });
  const root = studio.git("commit-tree", nested, "-m", "Nested");

  test.for<[string, string | null]>([
    ["main:file.txt", "start\n"],
    [`${root}:a.txt`, "start\n"],
    ["main:missing.txt", null],
    ["nothing:file.txt", null],
    ["main:", null],
    ["main:file.txt/", null],
    ["main:../file.txt", null],
    [`${folder}:file.txt`, null],
  ])("is read from that commit only: %s", async ([named, expected]) => {
    const content = await isolated(studio, (git) => fileInHistory(git, named));
    expect(content?.toString() ?? null).toBe(expected);
  });
});

describe("branch without a range", () => {
  test("requires a range if the default branch is unknown", async () => {
    const own = createStudio();
    own.git("update-ref", "refs/heads/trunk", own.start.commit);
    own.git("update-ref", "-d", "refs/heads/main");
    await expect(own.verify("isdlc", { range: "work" })).rejects.toMatchObject({ problem: { code: "RANGE_NEEDED" } });
    own.git("update-ref", "refs/remotes/origin/trunk", own.start.commit);
    own.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    expect((await own.verify("isdlc", { range: "work" })).commits).toHaveLength(2);
  });

  test("requires a range for the default branch", async () => {
    const own = createStudio();
    await expect(own.verify("isdlc", { range: "main" })).rejects.toMatchObject({ problem: { code: "RANGE_NEEDED" } });
  });
});
