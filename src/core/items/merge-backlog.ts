import { readBacklogItem } from "./backlog-line.ts";

/** `base` is null where both sides added the file. */
export type BacklogVersions = { readonly base: string | null; readonly ours: string; readonly theirs: string };

/**
 * Two versions of a backlog as one, item by item: what either side added, marked or took out counts, and of two marks
 * the one further on. Null where more than items differs, or both changed the words of the same item.
 */
export function mergeBacklog({ base, ours, theirs }: BacklogVersions): string | null {
  const [mine, other] = [linesOf(ours), linesOf(theirs)];
  const old = base === null ? mine.filter((line) => keyOf(line) === null) : linesOf(base);
  if (base === null && textOf(mine) !== textOf(other)) return null;
  if (textOf(other) !== textOf(old) && textOf(mine) !== textOf(old)) return null;
  const frame = textOf(mine) === textOf(old) ? other : mine;
  const added = frame === other ? mine : other;
  const [inBase, inFrame, inAdded] = [itemsOf(old), itemsOf(frame), itemsOf(added)];
  const kept = frame.filter((line) => {
    const key = keyOf(line);
    return key === null || inAdded.has(key) || !inBase.has(key); // taken out on the other side
  });
  const marked = kept.map((line) => furthest(line, inAdded.get(keyOf(line) ?? "")));
  const result = [...marked];
  for (const [at, line] of added.entries()) {
    const key = keyOf(line);
    if (key === null || inBase.has(key) || inFrame.has(key)) continue;
    result.splice(placeFor(result, added.slice(0, at)), 0, line);
  }
  return result.join("\n");
}

const linesOf = (text: string): string[] => text.split("\n");

/** What an item is, whatever its marker says. */
function keyOf(line: string): string | null {
  const item = readBacklogItem(line);
  return item === null ? null : `${item.line.slice(0, item.markerAt)} ${item.line.slice(item.markerAt + 1)}`;
}

const textOf = (lines: readonly string[]): string => lines.filter((line) => keyOf(line) === null).join("\n");

const itemsOf = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line): [string, string][] => {
      const key = keyOf(line);
      return key === null ? [] : [[key, line]];
    }),
  );

const FURTHER = [" ", "~", "A", "x"];

function furthest(line: string, other: string | undefined): string {
  const [one, two] = [readBacklogItem(line), readBacklogItem(other)];
  if (one === null || two === null || other === undefined) return line;
  return FURTHER.indexOf(two.marker) > FURTHER.indexOf(one.marker) ? other : line;
}

/** After the nearest line above it that is there too. */
function placeFor(result: readonly string[], above: readonly string[]): number {
  for (const line of above.toReversed()) {
    const key = keyOf(line);
    const at = result.findIndex((there) => (key === null ? there === line && line !== "" : keyOf(there) === key));
    if (at !== -1) return at + 1;
  }
  return result.length;
}
