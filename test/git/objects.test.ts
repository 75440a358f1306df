import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editTree } from "../../src/adapters/git/objects/edit-tree.ts";
import { repositoryStore } from "../../src/adapters/git/snapshot/repository-store.ts";
import { readTreeEntries, type TreeEntry } from "../../src/adapters/git/objects/tree-entries.ts";
import { type Difference, treeDifferences } from "../../src/adapters/git/objects/tree-differences.ts";
import { hardenedGit, must } from "../../src/adapters/git/process/git.ts";
import { decodePath, encodePath, splitFields } from "../../src/adapters/git/process/git-path.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

/** Names that sort differently as folders and files, are not UTF-8, or need quoting. */
const NAMES = ["a", "a.txt", "a-b", "ä", decodePath(Buffer.from([0x66, 0xff])), 'q"\n'];
const MODES = ["100644", "100755", "120000"];

type Files = ReadonlyMap<string, TreeEntry>;

/** The tree written from git's own index. */
async function treeByIndex(files: Files): Promise<string> {
  const git = hardenedGit(fixture.repo, process.env);
  const environment = { GIT_INDEX_FILE: join(fixture.base, `index-${Math.random()}`) };
  const lines = [...files].map(([path, { mode, id }]) =>
    Buffer.concat([Buffer.from(`${mode} ${id}\t`), encodePath(path), Buffer.from([0])]),
  );
  await must(git(["update-index", "-z", "--index-info"], { environment, input: Buffer.concat(lines) }), "update-index");
  return (await must(git(["write-tree"], { environment }), "write-tree")).toString("latin1").trim();
}

async function differencesByGit(from: string, to: string): Promise<Difference[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", from, to];
  const fields = splitFields(await must(hardenedGit(fixture.repo, process.env)(args), "diff-tree"));
  return fields.flatMap((field, at) => {
    const [, was = "", is = "", before = "", after = ""] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(field.toString("latin1")) ?? [];
    const path = fields[at + 1];
    return at % 2 === 1 || path === undefined
      ? []
      : [{ path: decodePath(path), before: { mode: was, id: before }, after: { mode: is, id: after } }];
  });
}

const byPath = (differences: readonly Difference[]): Difference[] =>
  differences.toSorted((one, other) => (one.path < other.path ? -1 : 1));

/** Files of which none is a folder of another. */
const filesOf = (blobs: readonly string[]): fc.Arbitrary<Files> => {
  const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const entry = fc.record({ mode: fc.constantFrom(...MODES), id: fc.constantFrom(...blobs) });
  return fc.array(fc.tuple(path, entry), { maxLength: 8 }).map((pairs) => {
    const files = new Map<string, TreeEntry>();
    for (const [name, held] of pairs)
      if (![...files.keys()].some((other) => `${other}/`.startsWith(`${name}/`) || `${name}/`.startsWith(`${other}/`)))
        files.set(name, held);
    return files;
  });
};

const blobsIn = (): string[] =>
  ["one", "two", "three"].map((text) => {
    writeFileSync(join(fixture.base, "blob"), text);
    return fixture.git("hash-object", "-w", join(fixture.base, "blob"));
  });

test("computes differences and edited trees like git's own index", async () => {
  const { repo } = fixture;
  const blobs = blobsIn();
  const store = repositoryStore({ top: repo, env: process.env });
  const seen = { swaps: 0, removals: 0, emptied: 0, deep: 0 };
  await fc.assert(
    fc.asyncProperty(filesOf(blobs), filesOf(blobs), async (before, after) => {
      const [from, to] = [await treeByIndex(before), await treeByIndex(after)];
      const found = await treeDifferences(store.objects, from, to);
      expect(byPath(found)).toEqual(byPath(await differencesByGit(from, to)));
      const edits = new Map(found.map((difference) => [difference.path, difference.after]));
      expect(await editTree(store, from, edits)).toBe(to);
      const isFolderOf = (path: string): boolean => [...after.keys()].some((other) => other.startsWith(`${path}/`));
      seen.swaps += [...before.keys()].filter(isFolderOf).length;
      seen.removals += found.filter((difference) => difference.after.mode === "000000").length;
      seen.emptied += after.size === 0 && before.size > 0 ? 1 : 0;
      seen.deep += found.filter(({ path }) => path.split("/").length === 3).length;
    }),
    { numRuns: 60 },
  );
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});

describe("edited tree", () => {
  test.each<[string, string, string]>([
    ["is refused if a file would replace a folder", "a/b", "a"],
    ["is refused if a folder would replace a file", "a", "a/b"],
  ])("%s", async (_, held, added) => {
    const [id = ""] = blobsIn();
    const store = repositoryStore({ top: fixture.repo, env: process.env });
    const base = await treeByIndex(new Map([[held, { mode: "100644", id }]]));
    await expect(editTree(store, base, new Map([[added, { mode: "100644", id }]]))).rejects.toMatchObject({
      problem: { code: "GIT_FAILED", detail: expect.stringContaining("both a file and a folder") },
    });
  });

  test("is refused with a missing object, and the next request works", async () => {
    const store = repositoryStore({ top: fixture.repo, env: process.env });
    const [id = ""] = blobsIn();
    const entries = (held: string) => new Map([["a", { mode: "100644", id: held }]]);
    await expect(editTree(store, null, entries("1".repeat(40)))).rejects.toMatchObject({
      problem: { code: "GIT_FAILED" },
    });
    expect(await editTree(store, null, entries(id))).toBe(await treeByIndex(entries(id)));
  });
});

test("refuses an object whose file has other content", async () => {
  const { repo } = fixture;
  const [id = ""] = blobsIn();
  const file = join(repo, ".git/objects", id.slice(0, 2), id.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, deflateSync(Buffer.from("blob 3\0two")));
  const { objects } = repositoryStore({ top: repo, env: process.env });
  await expect(objects.read(id)).rejects.toMatchObject({ problem: { detail: expect.stringContaining("damaged") } });
  expect(await objects.read("2".repeat(40))).toBeNull();
});

test.each(["", "100644", "100644 a", "100644 a\0", "100644 a\0short"])(
  "refuses a tree with the content %j, unless it is empty",
  async (text) => {
    writeFileSync(join(fixture.base, "tree"), text);
    const id = fixture.git("hash-object", "-t", "tree", "--literally", "-w", join(fixture.base, "tree"));
    const entries = readTreeEntries(repositoryStore({ top: fixture.repo, env: process.env }).objects, id);
    if (text === "") expect((await entries).size).toBe(0);
    else await expect(entries).rejects.toMatchObject({ problem: { detail: expect.stringContaining("malformed") } });
  },
);

test("reads a repository created again at the same path", async () => {
  const { repo } = fixture;
  const [first = ""] = blobsIn();
  const { objects } = repositoryStore({ top: repo, env: process.env });
  expect(await objects.has(first)).toBe(true);
  rmSync(repo, { recursive: true });
  fixture.gitIn(fixture.base, "init", "--quiet", repo);
  writeFileSync(join(fixture.base, "blob"), "four");
  const fourth = fixture.git("hash-object", "-w", join(fixture.base, "blob"));
  expect([await objects.has(fourth), await objects.has(first)]).toEqual([true, false]);
});

test("sets a ref in one transaction and leaves no lock after a failure", async () => {
  const { repo } = fixture;
  fixture.write("a.txt", "a\n");
  const commit = fixture.commitAll("first");
  const { setRef } = repositoryStore({ top: repo, env: process.env });
  await setRef("refs/isdlc/run/one", commit);
  await expect(setRef("refs/isdlc/run/two", "3".repeat(40))).rejects.toMatchObject({ problem: { code: "GIT_FAILED" } });
  await setRef("refs/isdlc/run/two", commit);
  await expect(setRef("refs/isdlc/run/x\ncommit", commit)).rejects.toMatchObject({ problem: { code: "GIT_FAILED" } });
  expect(fixture.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/isdlc")).toBe(
    `refs/isdlc/run/one ${commit}\nrefs/isdlc/run/two ${commit}`,
  );
});
