/** Longer pairs of lines are shown as lines: comparing their words takes the product of both lengths. */
const MAX_WORDS = 400;
/** Share of equal words from which a pair of lines counts as one edited line. */
const SIMILAR = 0.4;

/** Shows edited lines of a patch as one line with marked words: `a [-old-]{+new+} z`. Other lines stay. */
export function wordDiff(patch: string): string {
  const rows = patch.split("\n");
  const output: string[] = [];
  let isHunk = false;
  for (let at = 0; at < rows.length;) {
    const row = rows[at] ?? "";
    if (row.startsWith("diff --git ")) isHunk = false;
    if (row.startsWith("@@ ")) isHunk = true;
    if (!isHunk || !row.startsWith("-")) {
      output.push(row);
      at++;
      continue;
    }
    const removed = takeWhile(rows, at, "-");
    const added = takeWhile(rows, at + removed.length, "+");
    output.push(...mergeLines(removed, added));
    at += removed.length + added.length;
  }
  return output.join("\n");
}

function takeWhile(rows: readonly string[], from: number, sign: string): string[] {
  let to = from;
  while (rows[to]?.startsWith(sign) === true) to++;
  return rows.slice(from, to);
}

/** Pairs lines only if both sides have the same number: otherwise nothing says which belong together. */
function mergeLines(removed: readonly string[], added: readonly string[]): string[] {
  if (removed.length !== added.length) return [...removed, ...added];
  const merged = removed.map((row, at) => mergePair(row.slice(1), (added[at] ?? "").slice(1)));
  return merged.every((row) => row !== null) ? merged.map((row) => ` ${row}`) : [...removed, ...added];
}

type Part = { readonly sign: "same" | "removed" | "added"; readonly text: string };

function mergePair(old: string, now: string): string | null {
  const [before, after] = [toWords(old), toWords(now)];
  if (before.length > MAX_WORDS || after.length > MAX_WORDS) return null;
  const parts = compareWords(before, after);
  const same = parts.filter(({ sign }) => sign === "same").length;
  if (same < SIMILAR * Math.max(before.length, after.length)) return null;
  return joinParts(parts);
}

const toWords = (line: string): string[] => line.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? [];

/** Finds the longest common sequence of words. */
function compareWords(before: readonly string[], after: readonly string[]): Part[] {
  const length = commonLengths(before, after);
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old !== undefined && old === now) {
      parts.push({ sign: "same", text: old });
      i++;
      j++;
    } else if (old !== undefined && (now === undefined || length(i + 1, j) >= length(i, j + 1))) {
      parts.push({ sign: "removed", text: old });
      i++;
    } else {
      parts.push({ sign: "added", text: now ?? "" });
      j++;
    }
  }
  return parts;
}

type Lengths = (from: number, to: number) => number;

/** Returns the length of the longest common sequence after two positions. */
function commonLengths(before: readonly string[], after: readonly string[]): Lengths {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const length: Lengths = (from, to) => rows[from]?.[to] ?? 0;
  for (let from = before.length - 1; from >= 0; from--)
    for (let to = after.length - 1; to >= 0; to--)
      rows[from]?.fill(
        before[from] === after[to]
          ? length(from + 1, to + 1) + 1
          : Math.max(length(from + 1, to), length(from, to + 1)),
        to,
        to + 1,
      );
  return length;
}

const BRACKETS = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;

function joinParts(parts: readonly Part[]): string {
  let text = "";
  for (const [at, { sign, text: word }] of parts.entries()) {
    const [open, close] = BRACKETS[sign];
    text += `${parts[at - 1]?.sign === sign ? "" : open}${word}${parts[at + 1]?.sign === sign ? "" : close}`;
  }
  return text;
}
