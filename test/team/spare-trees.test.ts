import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryAt } from "../../src/adapters/git/read/repository.ts";
import type { RunId } from "../../src/schema/ids.ts";
import { removeRunTree, spareRunTree } from "../../team/src/worker/run-tree.ts";
import { createSpareTrees } from "../../team/src/worker/spare-trees.ts";
import { countGits } from "../git/count-gits.ts";
import {
  below,
  changeSecretly,
  env,
  first,
  folder,
  git,
  mirror,
  listInodes,
  opened,
  placing,
  second,
  useRunTrees,
} from "./run-tree-fixture.ts";

useRunTrees();

test("keeps unchanged files of a spare tree for another run", async () => {
  const spares = createSpareTrees(folder);
  const ended = { run: first, base: "main", spares };
  const earlier = await opened(ended);
  const same = ["a/2", "b/1", "b/c/1"];
  const numbers = listInodes(earlier, same);
  writeFileSync(join(earlier, "top"), "changed\n");
  spareRunTree(placing(ended));
  const root = await opened({ run: second, base: "other", spares });
  expect(listInodes(root, same)).toEqual(numbers);
  expect(readFileSync(join(root, "a", "1"), "utf8")).toBe("other\n");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("deletes changed files of a spare tree before git reads them", async () => {
  const spares = createSpareTrees(folder);
  const ended = { run: first, base: "main", spares };
  const root = await opened(ended);
  for (const path of ["a/1", "b/1", "top"]) changeSecretly(join(root, path));
  linkSync(join(root, "b", "c", "1"), join(folder, "elsewhere"));
  spareRunTree(placing(ended));
  const place = join(folder, "taken");
  expect(spares.take(mirror.folder, place)).not.toBeNull();
  expect(below(place)).toEqual(["a", "a/2", "b", "b/2"]);
});

test("keeps no changed folder and no top folder", async () => {
  const spares = createSpareTrees(folder);
  const ended = { run: first, base: "main", spares };
  const root = await opened(ended);
  const numbers = listInodes(root, [".", "a", "b"]);
  chmodSync(join(root, "b"), lstatSync(join(root, "b")).mode); // Like an access list, it changes only the time.
  spareRunTree(placing(ended));
  const next = await opened({ run: second, base: "main", spares });
  expect(listInodes(next, [".", "a", "b"]).map((number, at) => number === numbers[at])).toEqual([false, true, false]);
});

test.each(["linked", "windows"])("uses the line endings of the next branch after a drive on %s", async (base) => {
  const spares = createSpareTrees(folder);
  const ended = { run: first, base, spares };
  expect(readFileSync(join(await opened(ended), "b", "1"), "latin1")).toBe("b/1\r\n");
  spareRunTree(placing(ended));
  const root = await opened({ run: second, base: "main", spares });
  expect(readFileSync(join(root, "b", "1"), "latin1")).toBe("b/1\n");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("accepts a name that is not UTF-8 if all files are rewritten", async () => {
  const spares = createSpareTrees(folder);
  const ended = { run: first, base: "odd", spares };
  await opened(ended);
  spareRunTree(placing(ended));
  const next = { run: second, base: "windows", spares };
  const root = await opened(next);
  expect(readdirSync(root, { encoding: "latin1" })).not.toContain("odd\xff");
  spareRunTree(placing(next));
  expect(git(await opened({ run: first, base: "odd", spares }), "status", "--porcelain")).toBe("");
});

test("keeps a limited number of spare trees", async () => {
  const spares = createSpareTrees(folder);
  const runs = Array.from({ length: 6 }, (_, number) => `20261116-101112345-ccc${number}` as RunId);
  for (const run of runs) await opened({ run, base: "main", spares });
  for (const run of runs) spareRunTree(placing({ run, spares }));
  expect(readdirSync(join(folder, "trees", "spare")).filter((name) => name !== "clock")).toHaveLength(4);
  expect(below(join(folder, "trees")).filter((path) => path.endsWith("/e1"))).toEqual([]);
});

test("removes a tree that cannot be kept as a spare", async () => {
  const spares = createSpareTrees(folder);
  const root = await opened({ run: first, base: "main", spares });
  rmSync(join(folder, "trees", "spare"), { recursive: true });
  writeFileSync(join(folder, "trees", "spare"), "");
  spareRunTree(placing({ run: first, spares }));
  removeRunTree(placing({ run: first, spares }));
  expect(existsSync(root)).toBe(false);
  expect(spares.take(mirror.folder, root)).toBeNull();
});

test("starts one git per drive to find the repository", async () => {
  const root = await opened({ run: first, base: "main", spares: createSpareTrees(folder) });
  const gits = countGits(folder);
  for (let round = 0; round < 3; round++)
    expect((await repositoryAt(root, { env: env() })()).top).toBe(realpathSync(root));
  expect(gits()).toBe(1);
});
