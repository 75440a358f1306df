import { createHash, type Hash } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { nodeFiles, readSmall } from "../files/file-system.ts";
import { isRegenerated, type TestSurroundings } from "./test-surroundings.ts";

/** By part: the digest of its files' stat data and, if they were read, the digest of their contents. */
export type SurroundingsDigests = Readonly<Record<string, string>>;

/** Limit for reading contents, in bytes per working tree. Further parts are compared by stat data only. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Entries visited per part; further ones are ignored. */
const MAX_DIGESTED_FILES = 200_000;

/**
 * Returns the digests of each part of the ignored inputs, by path. Stat data is cheap to read, and no program can set a
 * ctime back. If the stat data of a part changed, its contents show if the part really differs.
 */
export function surroundingsDigests(root: string, surroundings: TestSurroundings): SurroundingsDigests {
  let room = MAX_READ_BYTES;
  const digests = listParts(root, surroundings).map((path): [string, string] => {
    const files = filesBelow(root, path);
    const size = files.reduce((sum, { facts }) => sum + facts.size, 0);
    const isRead = size <= room; // a part that is too large does not exclude later ones
    if (isRead) room -= size;
    return [path, `${factsDigest(files)} ${isRead ? contentDigest(root, files) : ""}`];
  });
  return Object.fromEntries(digests);
}

/** Returns digests of the stat data only, which are enough to see that nothing changed. */
export const surroundingsFacts = (root: string, surroundings: TestSurroundings): SurroundingsDigests =>
  Object.fromEntries(listParts(root, surroundings).map((path) => [path, factsDigest(filesBelow(root, path))]));

/** Lists the parts with other content than before. Parts whose files were only touched are omitted. */
export function changedParts(root: string, surroundings: TestSurroundings, before: SurroundingsDigests): string[] {
  const now = listParts(root, surroundings);
  const gone = Object.keys(before).filter((path) => !now.includes(path));
  const changed = now.filter((path) => {
    const [facts = "", content = ""] = before[path]?.split(" ") ?? [];
    const files = filesBelow(root, path);
    if (factsDigest(files) === facts) return false;
    return content === "" || contentDigest(root, files) !== content;
  });
  return [...gone, ...changed].sort();
}

/** Digests of paths, and if all of them fit into the limits. */
export type PathDigests = { readonly digests: Readonly<Record<string, string>>; readonly isWhole: boolean };

/**
 * Returns a digest of each path, with all files in it: of their contents, or of their stat data if they are too large
 * to read. Paths beyond `mostFiles` files are omitted.
 */
export function pathDigests(root: string, paths: readonly string[], mostFiles: number): PathDigests {
  const room = { files: mostFiles, bytes: MAX_READ_BYTES };
  const digests: Record<string, string> = {};
  for (const path of paths) {
    const files = filesBelow(root, path, room.files + 1);
    const size = files.reduce((sum, { facts }) => sum + facts.size, 0);
    room.files -= files.length;
    if (room.files < 0) return { digests, isWhole: false };
    if (files.length === 0) continue;
    const isRead = size <= room.bytes;
    if (isRead) room.bytes -= size;
    digests[path] = isRead ? contentDigest(root, files) : factsDigest(files);
  }
  return { digests, isWhole: true };
}

/** Lists the parts, those easiest to replace first. Each entry of a `node_modules` folder is a separate part. */
const listParts = (root: string, { dependencies, others, compiled }: TestSurroundings): string[] => [
  ...compiled,
  ...others,
  ...dependencies.flatMap((path) => packagesIn(root, path)),
];

function packagesIn(root: string, folder: string): readonly string[] {
  if (basename(folder) !== "node_modules") return [folder];
  const names = namesIn(join(root, folder)).filter((name) => !isRegenerated(name));
  return names.map((name) => `${folder}/${name}`);
}

type File = { readonly path: string; readonly facts: Stats };

function filesBelow(root: string, path: string, most = MAX_DIGESTED_FILES): File[] {
  const files: File[] = [];
  const waiting = [path];
  for (let seen = 0; waiting.length > 0 && seen < most; seen++) {
    const next = waiting.pop() ?? "";
    if (basename(next) === "__pycache__") continue;
    const facts = lstatSync(join(root, next), { throwIfNoEntry: false });
    if (facts === undefined) continue;
    if (facts.isDirectory()) waiting.push(...namesIn(join(root, next)).map((name) => `${next}/${name}`));
    else files.push({ path: next, facts });
  }
  return files;
}

function factsDigest(files: readonly File[]): string {
  const hash = createHash("sha256");
  for (const { path, facts } of files)
    hash.update(`${path}\0${facts.mode}\0${facts.size}\0${facts.mtimeMs}\0${facts.ctimeMs}\0${facts.ino}\n`);
  return shortDigest(hash);
}

function contentDigest(root: string, files: readonly File[]): string {
  const hash = createHash("sha256");
  for (const { path, facts } of files) {
    hash.update(`${path}\0${facts.mode}\0`);
    hash.update(readContent(join(root, path), facts));
  }
  return shortDigest(hash);
}

const shortDigest = (hash: Hash): string => hash.digest("hex").slice(0, 32);

/** Returns no content for sockets, pipes and devices: reading them would never end. */
function readContent(file: string, facts: Stats): Buffer | string {
  try {
    if (facts.isSymbolicLink()) return readlinkSync(file);
    return facts.isFile() ? (readSmall(nodeFiles, file, facts.size) ?? `larger ${facts.ctimeMs}`) : "";
  } catch {
    return `unreadable ${facts.ctimeMs}`; // differs after every change
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // not a folder, or no permission
  }
}
