import type { Git } from "../../../src/adapters/git/process/git.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { movedOnSince } from "../../../src/adapters/git/snapshot/git-moved-on.ts";
import { metaFrom } from "../../../src/core/items/item-meta.ts";
import { type FoundItem, ITEMS_ROOT, type SeenItems } from "../../../src/ports/items.ts";
import { isSafeName } from "../../../src/schema/ids.ts";

/** Further items are not listed. */
const MAX_ITEMS = 5000;
/** Bytes; a larger record is ignored. */
const MAX_META_BYTES = 64 * 1024;

/** Reads the items of a commit for lists. Starts git at most five times, for any number of items. */
export async function itemsAt(git: Git, commit: string): Promise<SeenItems> {
  const folders = await foldersAt(git, commit);
  const metas = await readMetas(git, folders);
  const now = new Date().toISOString();
  const found = folders.map(({ slug, tree }): FoundItem => {
    const meta = metas.get(tree);
    return { slug, dir: `${ITEMS_ROOT}/${slug}`, meta: meta === undefined ? null : metaFrom(meta, now) };
  });
  return { all: () => found, head: () => commit, movedOn: (commits) => movedOnSince(git, { head: commit, commits }) };
}

type ItemFolder = { readonly slug: string; readonly tree: string };

/** Lists real folders with safe names only, as in a working tree. */
async function foldersAt(git: Git, commit: string): Promise<readonly ItemFolder[]> {
  const listed = await must(git(["ls-tree", "-z", "--full-tree", commit, `${ITEMS_ROOT}/`]), "ls-tree");
  return listed
    .toString("utf8")
    .split("\0")
    .flatMap((entry): ItemFolder[] => {
      const [, tree = "", path = ""] = /^040000 tree ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      const slug = path.slice(ITEMS_ROOT.length + 1);
      return isSafeName(slug) ? [{ slug, tree }] : [];
    })
    .slice(0, MAX_ITEMS);
}

/** Reads all records that are valid JSON, keyed by the git tree of their folder. */
async function readMetas(git: Git, folders: readonly ItemFolder[]): Promise<ReadonlyMap<string, unknown>> {
  if (folders.length === 0) return new Map();
  const names = folders.map(({ tree }) => `${tree}:meta.json`);
  const sizes = await must(git(["cat-file", "--batch-check"], { input: joinNames(names) }), "cat-file");
  const blobs = new Map<string, string>();
  for (const [index, line] of sizes.toString("latin1").split("\n").entries()) {
    const [, blob, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    const tree = folders[index]?.tree;
    if (blob !== undefined && tree !== undefined && Number(size) <= MAX_META_BYTES) blobs.set(tree, blob);
  }
  const texts = await readTexts(git, [...new Set(blobs.values())]);
  return new Map([...blobs].map(([tree, blob]) => [tree, parsed(texts.get(blob) ?? "")]));
}

/** Parses the output of `cat-file --batch`: per blob a line with its size, the content, and a newline. */
async function readTexts(git: Git, blobs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const told = await must(git(["cat-file", "--batch"], { input: joinNames(blobs) }), "cat-file");
  const texts = new Map<string, string>();
  for (let at = 0; at < told.length;) {
    const end = told.indexOf("\n", at);
    const [blob = "", , size] = told.toString("latin1", at, end).split(" ");
    const begins = end + 1;
    texts.set(blob, told.toString("utf8", begins, begins + Number(size)));
    at = begins + Number(size) + 1;
  }
  return texts;
}

const joinNames = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\n`).join(""));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a damaged record is ignored
  }
}
