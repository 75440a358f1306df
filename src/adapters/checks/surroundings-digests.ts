import { createHash, type Hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { isRegenerated, type TestSurroundings } from "./test-surroundings.ts";

/** By part; each is a digest of what the system knows of its files and, where there was room, one of their contents. */
export type SurroundingsDigests = Readonly<Record<string, string>>;

/** Bytes that are read at most to remember what the files of one tree hold; parts beyond are told by size and times. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** More files than this are not looked at one by one. */
const MAX_FILES = 200_000;

/**
 * A digest for each part of the surroundings, by name. Names, sizes and the times at which the system last saw a file change
 * are cheap, and nobody can date them back; contents tell whether such a part really is another.
 */
export function surroundingsDigests(root: string, surroundings: TestSurroundings): SurroundingsDigests {
  let room = MAX_READ_BYTES;
  const digests = listParts(root, surroundings).map((path): [string, string] => {
    const files = filesBelow(root, path);
    const size = files.reduce((sum, { facts }) => sum + facts.size, 0);
    const isRead = size <= room; // a part that is too large does not keep out those after it
    if (isRead) room -= size;
    return [path, `${factsDigest(files)} ${isRead ? contentDigest(root, files) : ""}`];
  });
  return Object.fromEntries(digests);
}

/** Only what the system knows, which is enough to see that nothing has changed. */
export const surroundingsFacts = (root: string, surroundings: TestSurroundings): SurroundingsDigests =>
  Object.fromEntries(listParts(root, surroundings).map((path) => [path, factsDigest(filesBelow(root, path))]));

/** Parts that hold something else than before; one whose files were only touched does not. */
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

/** What is most easily put in the place of something else comes first. Dependencies count package by package. */
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

function filesBelow(root: string, path: string): File[] {
  const files: File[] = [];
  const waiting = [path];
  for (let seen = 0; waiting.length > 0 && seen < MAX_FILES; seen++) {
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

/** Sockets, pipes and devices have none, and waiting for them would never end. */
function readContent(file: string, facts: Stats): Buffer | string {
  try {
    if (facts.isSymbolicLink()) return readlinkSync(file);
    return facts.isFile() ? readFileSync(file) : "";
  } catch {
    return `unreadable ${facts.ctimeMs}`; // another one each time it changes
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // not a folder, or not for us
  }
}
