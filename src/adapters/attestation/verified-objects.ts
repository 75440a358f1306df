import { ProblemError } from "../../core/problem.ts";
import { type GitObject, objectId } from "../git/objects/git-objects.ts";
import { parseTree, readEntry, TREE_MODE, type TreeEntries } from "../git/objects/tree-entries.ts";
import { encodePath } from "../git/process/git-path.ts";
import { type Git, must } from "../git/process/git.ts";
import { parseCommit } from "./parse-commit.ts";
import { objectsOfBatch } from "../git/objects/tree-object.ts";

export type ObjectMap = ReadonlyMap<string, GitObject>;

/** Below the output limit of one git call. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024;

/** Commits, trees and policies are read again and again, and each reading starts git twice. */
const smallObjects = new WeakMap<Git, Map<string, GitObject>>();
const SMALL_BYTES = 8 * 1024;
const MAX_REMEMBERED_OBJECTS = 10_000;

/**
 * Reads objects and compares each with its id: git itself does not notice other content in its object files. Objects
 * that are missing or larger than `MAX_BATCH_BYTES` are omitted.
 * @throws ProblemError HISTORY_INCOMPLETE if the content of an object does not match its id
 */
export async function readObjects(git: Git, ids: Iterable<string>): Promise<ObjectMap> {
  const objects = new Map<string, GitObject>();
  const remembered = smallObjects.get(git) ?? new Map<string, GitObject>();
  smallObjects.set(git, remembered);
  const unread = new Set<string>();
  for (const id of ids) {
    const object = remembered.get(id);
    if (object === undefined) unread.add(id);
    else objects.set(id, object);
  }
  for (const batch of await batchesBySize(git, [...unread])) {
    const input = Buffer.from(`${batch.join("\n")}\n`);
    const output = await must(git(["cat-file", "--batch", "--buffer"], { input }), "cat-file");
    for (const { id, type, content } of objectsOfBatch(output)) {
      if (objectId({ type, content }, id.length) !== id) throw damaged(id);
      objects.set(id, { type, content });
      if (content.length <= SMALL_BYTES && remembered.size < MAX_REMEMBERED_OBJECTS)
        remembered.set(id, { type, content: Buffer.from(content) });
    }
  }
  return objects;
}

async function batchesBySize(git: Git, ids: readonly string[]): Promise<string[][]> {
  if (ids.length === 0) return [];
  const input = Buffer.from(`${ids.join("\n")}\n`);
  const output = await must(git(["cat-file", "--batch-check", "--buffer"], { input }), "cat-file");
  const batches: string[][] = [];
  let room = 0;
  for (const line of output.toString("latin1").split("\n")) {
    const [id = "", , size = ""] = line.split(" ");
    if (!/^\d+$/.test(size) || Number(size) > MAX_BATCH_BYTES) continue;
    if (room < Number(size)) batches.push([]);
    room = (room < Number(size) ? MAX_BATCH_BYTES : room) - Number(size);
    batches.at(-1)?.push(id);
  }
  return batches;
}

const damaged = (id: string): ProblemError =>
  new ProblemError({ code: "HISTORY_INCOMPLETE", detail: `the object ${id} is damaged: its content has another id` });

/** Follows annotated tags to a commit. Null if the object is missing, or is neither a commit nor a tag of one. */
export async function peelToCommit(git: Git, id: string): Promise<string | null> {
  const object = (await readObjects(git, [id])).get(id);
  if (object?.type === "commit") return id;
  const tagged = object?.type === "tag" ? /^object ([0-9a-f]{40,64})\n/.exec(object.content.toString("latin1")) : null;
  return tagged?.[1] === undefined ? null : peelToCommit(git, tagged[1]);
}

/** Returns null if the commit is missing or malformed. */
export async function treeOfCommit(git: Git, commit: string): Promise<string | null> {
  const object = (await readObjects(git, [commit])).get(commit);
  return object?.type === "commit" ? (parseCommit(commit, object.content)?.tree ?? null) : null;
}

/**
 * Returns the entries of a tree. Null if git would not write it: of two entries with one name, git writes one into the
 * working tree and may compare the other.
 */
export function parseWellFormedTree(content: Buffer, idBytes: number): TreeEntries | null {
  const entries = parseTree(content, idBytes);
  if (entries === null || entries.has("") || [...entries.keys()].some((name) => name.includes("/"))) return null;
  let count = 0;
  for (let start = 0; start < content.length; count++) start = readEntry(content, start, idBytes)?.end ?? Infinity;
  return entries.size === count ? entries : null;
}

/** Returns the entries of trees by tree id. Missing or malformed trees are omitted. */
async function readTrees(git: Git, ids: Iterable<string>): Promise<ReadonlyMap<string, TreeEntries>> {
  const trees = new Map<string, TreeEntries>();
  for (const [id, { type, content }] of await readObjects(git, ids)) {
    const entries = type === "tree" ? parseWellFormedTree(content, id.length / 2) : null;
    if (entries !== null) trees.set(id, entries);
  }
  return trees;
}

/** Reads the regular file at a path of a tree. Null for anything else. */
export async function fileInTree(git: Git, tree: string, path: string): Promise<Buffer | null> {
  const names = encodePath(path).toString("latin1").split("/");
  const name = names.pop() ?? "";
  let folder = tree;
  for (const part of names) {
    const entry = (await readTrees(git, [folder])).get(folder)?.get(part);
    if (entry?.mode !== TREE_MODE) return null;
    folder = entry.id;
  }
  const entry = (await readTrees(git, [folder])).get(folder)?.get(name);
  if (entry === undefined || !entry.mode.startsWith("100")) return null;
  const object = (await readObjects(git, [entry.id])).get(entry.id);
  return object?.type === "blob" ? object.content : null;
}

/** Lists the files of a tree: path in latin1, blob id. Reads once per level of folders. */
export async function listFiles(git: Git, tree: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  let folders = [{ path: "", id: tree }];
  while (folders.length > 0) {
    const trees = await readTrees(
      git,
      folders.map(({ id }) => id),
    );
    const below: typeof folders = [];
    for (const { path, id } of folders)
      for (const [name, entry] of trees.get(id) ?? [])
        if (entry.mode === TREE_MODE) below.push({ path: `${path}${name}/`, id: entry.id });
        else if (entry.mode.startsWith("100")) files.set(`${path}${name}`, entry.id);
    folders = below;
  }
  return files;
}
