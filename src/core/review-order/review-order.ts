import { type FileKind, fileKind } from "./file-kind.ts";
import { foldReason } from "./fold-reason.ts";

/** Facts about one changed file that decide its place. */
export type ReviewFile = {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** Added lines that decide something: a condition, a loop, a comparison, a handler. */
  readonly deciding: number;
  readonly isBinary: boolean;
  /** Why the file counts as generated, by its first lines or the attributes of the base; null if it does not. */
  readonly generated: string | null;
};

/** Groups in the order in which they are read. */
export const REVIEW_GROUPS = ["contracts", "code", "settings", "examples", "tests", "documents", "folded"] as const;
export type ReviewGroup = (typeof REVIEW_GROUPS)[number];

/** `review`: by what has to be judged first. `tree`: folders before files. `name`: by path, as git lists them. */

export type ReviewOrder = "review" | "tree" | "name";

/** A file with its group, and the fact that put it there. */
export type PlacedFile<F extends ReviewFile = ReviewFile> = {
  readonly file: F;
  readonly group: ReviewGroup;
  readonly reason: string;
};

/** Title and reason of each group, for headings. */
export const GROUP_TEXTS: Readonly<Record<ReviewGroup, { readonly title: string; readonly why: string }>> = {
  contracts: { title: "Contracts", why: "other code depends on their shape" },
  code: { title: "Code", why: "files whose changed lines decide most come first, folders together" },
  settings: { title: "Settings", why: "configuration, builds and other files" },
  examples: { title: "Examples", why: "code that shows how to use other code" },
  tests: { title: "Tests", why: "tests and their data" },
  documents: { title: "Documents", why: "text for readers" },
  folded: { title: "Folded", why: "lock files, generated and binary files: open them to read them" },
};

/**
 * Sorts changed files, and states the reason for each place. Equal input gives equal output, in whatever order it
 * comes. Every file appears exactly once. The reasons are facts: the order finds the code that carries a change, not
 * its defects.
 */
export function reviewOrder<F extends ReviewFile>(files: readonly F[], order: ReviewOrder = "review"): PlacedFile<F>[] {
  const placed = files.map((file) => placeFile(file));
  if (order === "name") return placed.toSorted((a, b) => comparePaths(a.file.path, b.file.path));
  if (order === "tree") return placed.toSorted((a, b) => compareInTree(a.file.path, b.file.path));
  const folders = countPerFolder(placed);
  return placed.toSorted(
    (a, b) =>
      REVIEW_GROUPS.indexOf(a.group) - REVIEW_GROUPS.indexOf(b.group) ||
      (a.group === "code" ? compareCode(a.file, b.file, folders) : 0) ||
      comparePaths(a.file.path, b.file.path),
  );
}

const GROUPS: Readonly<Record<FileKind, ReviewGroup>> = {
  contract: "contracts",
  code: "code",
  settings: "settings",
  example: "examples",
  test: "tests",
  document: "documents",
  lock: "folded",
  generated: "folded",
};

function placeFile<F extends ReviewFile>(file: F): PlacedFile<F> {
  const fold = foldReason(file);
  if (fold !== null) return { file, group: "folded", reason: fold };
  const kind = fileKind(file.path);
  const group = GROUPS[kind];
  return { file, group, reason: group === "code" ? codeReason(file) : REASONS[group] };
}

const REASONS: Readonly<Record<Exclude<ReviewGroup, "code">, string>> = {
  contracts: "other code depends on its shape",
  settings: "configuration or another kind of file",
  examples: "an example",
  tests: "a test or its data",
  documents: "a document",
  folded: "folded",
};

function codeReason({ deciding, added, removed }: ReviewFile): string {
  if (added + removed === 0) return "no line changed";
  if (added === 0) return "only removed lines";
  return `${deciding} of ${added + removed} changed lines ${deciding === 1 ? "decides" : "decide"} something`;
}

/** Shares of deciding lines from which a file moves up. Tuned on 13 repositories that the benchmark does not use. */
const MOST_LOGIC = 0.2;
const SOME_LOGIC = 0.1;

/** Returns 0 for mostly logic, 1 for some, 2 for declarations, text and removals. */
function logicLevel({ deciding, added, removed }: ReviewFile): 0 | 1 | 2 {
  const share = deciding / Math.max(1, added + removed);
  if (share >= MOST_LOGIC) return 0;
  return share >= SOME_LOGIC ? 1 : 2;
}

function countPerFolder(placed: readonly PlacedFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { file, group } of placed) {
    const folder = folderName(file.path);
    if (group === "code") counts.set(folder, (counts.get(folder) ?? 0) + file.deciding);
  }
  return counts;
}

/** By level; then folders with the most deciding lines; then files with the most. */
function compareCode(a: ReviewFile, b: ReviewFile, folders: ReadonlyMap<string, number>): number {
  const [folder, other] = [folderName(a.path), folderName(b.path)];
  return (
    logicLevel(a) - logicLevel(b) ||
    (folders.get(other) ?? 0) - (folders.get(folder) ?? 0) ||
    comparePaths(folder, other) ||
    b.deciding - a.deciding
  );
}

const folderName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Compares by code units, which is the same on every machine. */
const comparePaths = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareInTree(a: string, b: string): number {
  const [one, other] = [a.split("/"), b.split("/")];
  for (let at = 0; ; at++) {
    const [isFile, isOtherFile] = [at === one.length - 1, at === other.length - 1];
    if (isFile !== isOtherFile) return isFile ? 1 : -1;
    const compared = comparePaths(one[at] ?? "", other[at] ?? "");
    if (compared !== 0 || isFile) return compared;
  }
}
