import type { FileChange } from "../../../schema/facts.ts";
import type { GitObjects } from "../objects/git-objects.ts";
import { treeDifferences } from "../objects/tree-differences.ts";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git, GitOptions } from "../process/git.ts";
import { parseNameStatus } from "../process/name-status.ts";
import { maxOutputBytes } from "../process/run-git.ts";
import { BYTE_MARK, patchText } from "./patch-text.ts";
import { isObjectId } from "../process/ref-name.ts";
import { GONE, type TreeEntry } from "../objects/tree-entries.ts";

export type TreePair = { readonly from: string; readonly to: string };

const plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
const timeoutMs = 30_000;

/** Returns both ends of a comparison; null if either is not an object id. */
export function toTreePair(from: string | null, to: string | null): TreePair | null {
  return from !== null && to !== null && isObjectId(from) && isObjectId(to) ? { from, to } : null;
}

/** Exit status of git for a missing object. */
const UNKNOWN_OBJECT = 128;

/** Returns the output of a comparison; null if the repository does not have one of the ends. Equal ends need no git. */
async function compared(
  git: Git,
  { from, to }: TreePair,
  { args, paths, ...options }: Comparison,
): Promise<Buffer | null> {
  if (from === to) return Buffer.alloc(0);
  const limit = paths === undefined ? [] : ["--", ...paths];
  const result = await git(["--literal-pathspecs", "diff-tree", "-r", ...args, ...plain, from, to, ...limit], options);
  return result.status === UNKNOWN_OBJECT ? null : must(Promise.resolve(result), "diff-tree");
}

type Comparison = GitOptions & { readonly args: readonly string[]; readonly paths?: readonly string[] };

/**
 * Lists the changes between two ends by reading objects, which never change; null if the repository does not have one
 * of the ends.
 */
export async function listChanges(objects: GitObjects, { from, to }: TreePair): Promise<FileChange[] | null> {
  if (from === to) return [];
  if ((await objects.read(from)) === null || (await objects.read(to)) === null) return null;
  const found = await treeDifferences(objects, from, to);
  return found.map(({ path, before, after }) => ({ path, change: changeKind(before, after) }));
}

/** Number of mode digits for the type of an entry. */
const KIND = 3;

function changeKind(before: TreeEntry, after: TreeEntry): FileChange["change"] {
  if (before.mode === GONE) return "added";
  if (after.mode === GONE) return "deleted";
  return before.mode.slice(0, KIND) === after.mode.slice(0, KIND) ? "modified" : "typechange";
}

/** Lists a rename as one deleted and one added file, to name every touched path. */
export async function changesBetween(git: Git, pair: TreePair): Promise<FileChange[] | null> {
  const output = await compared(git, pair, { args: ["-z", "--name-status", "--no-renames"], timeoutMs });
  return output === null ? null : parseNameStatus(output);
}

/**
 * Returns a readable patch of the given paths, or of all files without paths. Omitted content is replaced by a note.
 */
export async function patchBetween(git: Git, pair: TreePair, paths: readonly string[] = []): Promise<string> {
  const output = await compared(git, pair, { args: ["-p", "-M", "--full-index", "--no-color"], paths, ...READING });
  if (output === null) return "";
  const text = ended(output);
  const hidden = [...text.matchAll(BINARY)];
  if (hidden.length === 0) return text;
  const shown = await Promise.all(hidden.map(([line]) => readDiffLines(git, pair, line)));
  let at = 0;
  return text.replaceAll(BINARY, () => shown[at++] ?? "");
}

const READING = { timeoutMs: wholeTreeTimeoutMs, whenTooLong: "cut" } as const;

/** Matches the note at the end of a patch that is too long. */
export const PATCH_CUT = /\n\nThe rest is not shown: the patch is longer than (\d+ MB)\. See it with git diff\.\n$/;

function ended(output: Buffer): string {
  const text = patchText(output);
  if (output.length < maxOutputBytes) return text;
  return `${text}\n\nThe rest is not shown: the patch is longer than ${maxOutputBytes / 1024 / 1024} MB. See it with git diff.\n`;
}

const BINARY = /^Binary files .* differ$/gm;

/**
 * Returns the patch of a file that git calls binary, if it is text with a NUL. For any other content, returns a note
 * about its kind.
 */
async function readDiffLines(git: Git, pair: TreePair, line: string): Promise<string> {
  const path =
    / and b\/(.*) differ$/.exec(line)?.[1] ?? /^Binary files a\/(.*) and \/dev\/null differ$/.exec(line)?.[1];
  if (path === undefined || path.startsWith('"')) return `${line}\n(not shown: binary content)`;
  const notShown = async (): Promise<string> => `${line}\n(not shown: binary content, ${await sizes(git, pair, path)})`;
  const args = ["-p", "--text", "--no-color", "--no-renames"];
  const output = await compared(git, pair, { args, paths: [path], ...READING });
  const text = output === null ? "" : patchText(output);
  const body = text.slice(Math.max(0, text.indexOf("\n--- ") + 1));
  return isMostlyText(body) ? body.trimEnd() : notShown();
}

/** Formats sizes as `1234 bytes, before 1000 bytes`. */
async function sizes(git: Git, { from, to }: TreePair, path: string): Promise<string> {
  const [after, before] = await Promise.all([sizeIn(git, to, path), sizeIn(git, from, path)]);
  if (before === null) return `${after ?? 0} bytes`;
  return after === null ? `deleted, ${before} bytes` : `${after} bytes, before ${before} bytes`;
}

/** Returns the size of a file in a tree in bytes; null if the tree does not have it. */
async function sizeIn(git: Git, tree: string, path: string): Promise<number | null> {
  const { stdout } = await git(["--literal-pathspecs", "ls-tree", "--long", tree, "--", path], { timeoutMs });
  const size = /^\S+ \S+ \S+ +(\d+)\t/.exec(stdout.toString("utf8"))?.[1];
  return size === undefined ? null : Number(size);
}

const MAX_CONTROLS = 0.02;

/** Returns false for content that is empty, unreadable as text, or too long for a reader. */
function isMostlyText(body: string): boolean {
  const strange = (body.match(/[^\P{Cc}\n\t\r]/gu)?.length ?? 0) + (body.match(BYTE_MARK)?.length ?? 0);
  return body !== "" && body.length <= maxOutputBytes && strange <= Math.max(2, body.length * MAX_CONTROLS);
}
