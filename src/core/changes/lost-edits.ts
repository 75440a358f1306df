/** Patches of one file: the user's edit, and changes since. */
export type EditedFile = {
  readonly edit: string;
  /** From the tree after the edit to the current one. */
  readonly since: string;
  /** Later edits by the user: lines they undo are not lost. */
  readonly later: readonly string[];
};

/** Number of lines in an edit, and how many of them were undone. */
export type LostLines = { readonly lost: number; readonly lines: number };

/** Counts lines of a user's edit that were undone since. A moved or reindented line is not lost. */
export function lostLines({ edit, since, later }: EditedFile): LostLines {
  const own = changedLines(edit);
  const now = changedLines(since);
  const byUser = later.map(changedLines);
  const isMeant = (line: string, undone: (change: ChangedLines) => ReadonlySet<string>): boolean =>
    byUser.some((change) => undone(change).has(line));
  const gone = [...own.added].filter((line) => now.removed.has(line) && !isMeant(line, ({ removed }) => removed));
  const back = [...own.removed].filter((line) => now.added.has(line) && !isMeant(line, ({ added }) => added));
  return { lost: gone.length + back.length, lines: own.added.size + own.removed.size };
}

type ChangedLines = { readonly added: ReadonlySet<string>; readonly removed: ReadonlySet<string> };

/** Returns trimmed lines added and removed by a patch. A line in both was moved and is left out. */
function changedLines(patch: string): ChangedLines {
  const added = new Set<string>();
  const removed = new Set<string>();
  let isHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) isHunk = false;
    else if (line.startsWith("@@")) isHunk = true;
    else if (isHunk && line.startsWith("+")) added.add(line.slice(1).trim());
    else if (isHunk && line.startsWith("-")) removed.add(line.slice(1).trim());
  }
  return { added: without(added, removed), removed: without(removed, added) };
}

const without = (lines: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...lines].filter((line) => line !== "" && !others.has(line)));
