import { join } from "node:path";
import { nodeFiles, readSmall } from "../../../src/adapters/files/file-system.ts";
import { readPointer } from "../../../src/adapters/git/process/working-trees.ts";
import { gitFailed } from "../../../src/adapters/git/process/run-git.ts";

export type Refs = ReadonlyMap<string, string>;

const MAX_KEPT_PACKED_REFS_BYTES = 32 * 1024 * 1024;
const ID = /^[0-9a-f]{40}$/;

/**
 * Reads the refs under a prefix (with trailing slash) of a repository made by a worker, keyed by the rest of their
 * names. Reads files instead of starting git, because this runs before every record. @throws ProblemError if a ref is
 * not a file with an id
 */
export function refsBelow(gitFolder: string, prefix: string): Refs {
  const refs = new Map<string, string>();
  // Loose refs first: git adds a ref to packed-refs before it deletes the file. A ref packed in between is found there.
  for (const name of filesBelow(join(gitFolder, ...prefix.split("/")), "")) {
    const id = readPointer(join(gitFolder, ...prefix.split("/"), ...name.split("/")));
    if (id !== null) refs.set(name, checked(id, prefix + name));
  }
  for (const [name, id] of packedBelow(gitFolder, prefix)) if (!refs.has(name)) refs.set(name, checked(id, name));
  return refs;
}

/** Formats all refs of a new repository as one file. */
export const packedText = (refs: Refs): string =>
  [...refs]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, id]) => `${id} ${name}\n`)
    .join("");

function filesBelow(folder: string, under: string): readonly string[] {
  if (nodeFiles.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return nodeFiles.readdirSync(folder).flatMap((name): readonly string[] => {
    if (name.endsWith(".lock")) return [];
    const path = join(folder, name);
    const isFolder = nodeFiles.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? filesBelow(path, `${under}${name}/`) : [`${under}${name}`];
  });
}

function packedBelow(gitFolder: string, prefix: string): readonly (readonly [string, string])[] {
  const file = join(gitFolder, "packed-refs");
  if (nodeFiles.lstatSync(file, { throwIfNoEntry: false }) === undefined) return [];
  const bytes = readSmall(nodeFiles, file, MAX_KEPT_PACKED_REFS_BYTES);
  if (bytes === null) throw gitFailed("for-each-ref", "packed-refs cannot be read");
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [id = "", name = ""] = line.split(" ", 2);
      return name.startsWith(prefix) && ID.test(id) ? [[name.slice(prefix.length), id] as const] : [];
    });
}

function checked(id: string, name: string): string {
  if (ID.test(id)) return id;
  throw gitFailed("for-each-ref", `${name} holds no id`);
}
