import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readFromIndex, readIndex } from "../../src/adapters/git/objects/git-index.ts";
import { repositoryStore } from "../../src/adapters/git/snapshot/repository-store.ts";
import { isOutsideTrees, rememberedTree, treeOfIndex } from "../../src/adapters/git/objects/tree-of-index.ts";
import { rollDice } from "../support/dice.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const file = () => join(fixture.repo, ".git", "index");
const store = () => repositoryStore({ top: fixture.repo, env: process.env });

/** As printed by `git ls-files -v --stage`. */
const told = (): string[] =>
  (readIndex(file())?.entries ?? []).map(({ name, mode, id, stage, isAssumed, isSkipped }) => {
    const tag = isSkipped ? "S" : "H";
    return `${isAssumed ? tag.toLowerCase() : tag} ${mode} ${id} ${stage}\t${name}`;
  });
const toldByGit = (): string[] =>
  fixture
    .git("ls-files", "-v", "-z", "--stage")
    .split("\0")
    .filter((line) => line !== "");

const treeHere = (): Promise<string | null> => treeOfIndex(store(), file());

const treeRemembered = (): string | null => {
  const index = readFromIndex(file(), isOutsideTrees);
  return index && rememberedTree(index);
};

const NAMES = ["a", "a.txt", "a-b", "z", 'q "', Buffer.from("ä").toString("latin1"), "f\xff"];

/** Step at which the first file gets each mark. */
const MARKS = new Map([
  [4, "--assume-unchanged"],
  [8, "--skip-worktree"],
]);

describe("readIndex", () => {
  test.each([2, 3, 4])("agrees with git in version %d after random changes", async (version) => {
    const dice = rollDice(version);
    fixture.write("first", "1\n");
    fixture.commitAll("one");
    const trees = new Set<string>();
    for (let step = 0; step < 12; step++) {
      const folders = Array.from({ length: dice.of([0, 1, 2]) }, () => `d${dice.of(NAMES)}/`);
      const path = `${folders.join("")}f${dice.of(NAMES)}`;
      if (dice.chance(75)) fixture.write(Buffer.from(path, "latin1"), `${dice.of([1, 2, 3])}\n`);
      else rmSync(Buffer.from(join(fixture.repo, `d${dice.of(NAMES)}`), "latin1"), { recursive: true, force: true });
      fixture.git("add", "--all");
      const mark = MARKS.get(step);
      if (mark !== undefined) fixture.git("update-index", mark, "first");
      fixture.git("update-index", "--index-version", String(version));
      expect(told()).toEqual(toldByGit());
      const here = await treeHere();
      expect([here, null]).toContain(treeRemembered());
      expect(here).toBe(fixture.git("write-tree"));
      expect(treeRemembered()).toBe(here);
      trees.add(here ?? "");
    }
    expect(trees.size).toBeGreaterThan(3);
    expect(told().some((line) => line.startsWith("s"))).toBe(true);
  });

  test("reads only the wanted entries of a large index, and the tree cached by git", () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const blob = fixture.git("rev-parse", "HEAD:a");
    const lines = Array.from({ length: 10_000 }, (_, at) => `100644 ${blob}\tfolder/${"long-".repeat(40)}${at}\n`);
    const module = `160000 ${"1".repeat(40)}\tmodule\n`;
    const input = [...lines, module].join("");
    expect(spawnSync("git", ["update-index", "--index-info"], { cwd: fixture.repo, input }).status).toBe(0);
    fixture.git("update-index", "--assume-unchanged", "a");
    expect(readIndex(file())).toBeNull();
    const found = readFromIndex(file(), ({ isAssumed, isSubmodule }) => isAssumed || isSubmodule);
    const told = found?.entries.map(({ name, mode, isAssumed }) => ({ name, mode, isAssumed }));
    expect(told).toEqual([
      { name: "a", mode: "100644", isAssumed: true },
      { name: "module", mode: "160000", isAssumed: false },
    ]);
    expect(found?.count).toBe(10_002);
    expect(treeRemembered()).toBeNull();
    const written = fixture.git("write-tree");
    expect(treeRemembered()).toBe(written);
  });

  test("returns when the stat data of a file last changed, in seconds", () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const [entry] = readIndex(file())?.entries ?? [];
    expect(entry?.recordedAt).toBe(Math.floor(lstatSync(join(fixture.repo, "a")).ctimeMs / 1000));
  });

  test("returns no entries if the index is missing", () => {
    expect(readIndex(join(fixture.base, "none"))?.entries).toEqual([]);
  });

  const left: readonly { what: string; put: () => void }[] = [
    { what: "a split index", put: () => fixture.git("update-index", "--split-index") },
    { what: "a damaged index", put: () => damage() },
    { what: "a truncated index", put: () => writeFileSync(file(), readFileSync(file()).subarray(0, 60)) },
    { what: "an oversized index", put: () => writeFileSync(file(), Buffer.alloc(3 * 1024 * 1024)) },
    { what: "a folder instead of the index", put: () => replaceByFolder() },
    { what: "an index whose first name shortens a missing one", put: () => shortenNothing() },
  ];
  test.each(left)("leaves $what to git", ({ put }) => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    expect(readIndex(file())).not.toBeNull();
    put();
    expect(readIndex(file())).toBeNull();
  });

  test("leaves the tree to git if the index has a conflict or an intent-to-add entry", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    expect(await treeHere()).not.toBeNull();
    fixture.write("new", "1\n");
    fixture.git("add", "--intent-to-add", "new");
    expect(await treeHere()).toBeNull();
    expect(treeRemembered()).toBeNull();
  });
});

function damage(): void {
  const bytes = readFileSync(file());
  bytes[30] = (bytes[30] ?? 0) ^ 1;
  writeFileSync(file(), bytes);
}

/** In version 4, each name states how many bytes of the previous one are dropped. */
function shortenNothing(): void {
  fixture.git("update-index", "--index-version", "4");
  const bytes = readFileSync(file());
  const [header, fixedPart, hash] = [12, 62, 20];
  bytes[header + fixedPart] = 5;
  const content = bytes.subarray(0, bytes.length - hash);
  writeFileSync(file(), Buffer.concat([content, createHash("sha1").update(content).digest()]));
}

function replaceByFolder(): void {
  rmSync(file());
  fixture.write(".git/index/x", "");
}
