import { isUtf8 } from "node:buffer";
import type { GitObjects } from "../objects/git-objects.ts";
import { readTreeId } from "../objects/tree-entries.ts";
import type { Answers } from "../process/answer-inbox.ts";
import { type Conversation, createConversation } from "../process/git-conversation.ts";
import { type GitFolder, startGit } from "../process/git.ts";
import { decodePath, isUnder } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import type { LookEnvironment } from "./private-repository.ts";
import type { TreePair } from "./tree-diff.ts";

/**
 * Notation of a byte that is not UTF-8. In a file with this notation as text, its first character is escaped like
 * that.
 */
export const BYTE_MARK = /<0x[0-9A-F]{2}>/g;
const LINE_FEED_BYTE = 0x0a;

/**
 * Returns the text of a patch. Bytes that are not UTF-8 stay distinguishable: two files in another encoding never look
 * the same.
 */
export function patchText(patch: Buffer): string {
  if (isUtf8(patch)) return withoutLookalikes(patch.toString("utf8"));
  const lines: string[] = [];
  for (let from = 0; from < patch.length;) {
    const newline = patch.indexOf(LINE_FEED_BYTE, from);
    const to = newline === -1 ? patch.length : newline + 1;
    lines.push(lineText(patch.subarray(from, to)));
    from = to;
  }
  return lines.join("");
}

const withoutLookalikes = (text: string): string => text.replaceAll(BYTE_MARK, (found) => `<0x3C>${found.slice(1)}`);

function lineText(line: Buffer): string {
  if (isUtf8(line)) return withoutLookalikes(line.toString("utf8"));
  let text = "";
  let valid = 0;
  for (let at = 0; at < line.length;) {
    const length = characterLength(line, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += withoutLookalikes(line.toString("utf8", valid, at));
    text += `<0x${(line[at] ?? 0).toString(16).toUpperCase().padStart(2, "0")}>`;
    valid = ++at;
  }
  return text + withoutLookalikes(line.toString("utf8", valid));
}

const MAX_CHARACTER_BYTES = 4;

/** Returns the length of the UTF-8 character at this position in bytes; 0 if there is none. */
function characterLength(line: Buffer, at: number): number {
  for (let length = 1; length <= MAX_CHARACTER_BYTES; length++)
    if (at + length <= line.length && isUtf8(line.subarray(at, at + length))) return length;
  return 0;
}

const DIFF_TREE = ["diff-tree", "--stdin", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"];
const OPTIONS = [...DIFF_TREE, "--ignore-submodules=dirty"];

type LineCountRequest = {
  readonly pair: TreePair;
  /** Files and folders to count. */
  readonly paths: readonly string[];
  readonly environment: LookEnvironment;
};

/** Counts added plus removed lines. Binary files count as 0. */
export type ChangedLines = (counting: LineCountRequest) => Promise<number>;

/** Uses one `git diff-tree --stdin`, which reads only the objects of the repository. */
export function createChangedLines(folder: GitFolder, objects: GitObjects): ChangedLines {
  let open: { readonly gitDir: string | undefined; readonly diffTree: Conversation } | null = null;
  const talk = (environment: LookEnvironment): Conversation => {
    const gitDir = environment["GIT_DIR"];
    if (open !== null && open.gitDir === gitDir) return open.diffTree;
    open?.diffTree.end();
    open = { gitDir, diffTree: createConversation("diff-tree", () => startGit(folder, OPTIONS, environment)) };
    return open.diffTree;
  };
  return async ({ pair, paths, environment }) => {
    if (paths.length === 0 || pair.from === pair.to) return 0;
    const [from, to] = [await readTreeId(objects, pair.from), await readTreeId(objects, pair.to)];
    if (from === null || to === null) return 0;
    const asked = `${from} ${to}`;
    const request = Buffer.from(`${asked}\n${END}\n`);
    return sumLines(await talk(environment).ask(request, (answers) => readLines(answers, asked)), paths);
  };
}

/** Git repeats a line that names no object, after all earlier output. */
const END = "end";

type FileLines = { readonly path: string; readonly lines: number };

async function readLines(answers: Answers, asked: string): Promise<FileLines[]> {
  if ((await answers.line()) !== asked) throw gitFailed("diff-tree", "it answered something else");
  const found: FileLines[] = [];
  while (!(await answers.isNext(`${END}\n`))) {
    const field = decodePath(await answers.field());
    const [, added = "", removed = "", path = ""] = /^(\S+)\t(\S+)\t(.*)$/s.exec(field) ?? [];
    found.push({ path, lines: (Number.parseInt(added, 10) || 0) + (Number.parseInt(removed, 10) || 0) });
  }
  await answers.line();
  return found;
}

function sumLines(counted: readonly FileLines[], paths: readonly string[]): number {
  const exact = new Set(paths);
  const chosen = counted.filter(({ path }) => exact.has(path) || paths.some((folder) => isUnder(path, folder)));
  return chosen.reduce((sum, { lines }) => sum + lines, 0);
}
