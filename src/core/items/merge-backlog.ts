import { readBacklogItem } from "./backlog-line.ts";

/** `base` is null if both sides added the file. */
export type BacklogVersions = { readonly base: string | null; readonly ours: string; readonly theirs: string };

/**
 * Merges two versions of a backlog item by item: additions, markers and removals of both sides count, and the more
 * advanced marker wins. Null if both sides changed text outside of items, or differ in it without a base.
 */
export function mergeBacklog({ base, ours, theirs }: BacklogVersions): string | null {
  const [mine, other] = [splitLines(ours), splitLines(theirs)];
  const old = base === null ? mine.filter((line) => parseKey(line) === null) : splitLines(base);
  if (base === null && joinText(mine) !== joinText(other)) return null;
  if (joinText(other) !== joinText(old) && joinText(mine) !== joinText(old)) return null;
  const frame = joinText(mine) === joinText(old) ? other : mine;
  const added = frame === other ? mine : other;
  const [inBase, inFrame, inAdded] = [indexItems(old), indexItems(frame), indexItems(added)];
  const kept = frame.filter((line) => {
    const key = parseKey(line);
    return key === null || inAdded.has(key) || !inBase.has(key); // removed on the other side
  });
  const marked = kept.map((line) => furthest(line, inAdded.get(parseKey(line) ?? "")));
  const result = [...marked];
  for (const [at, line] of added.entries()) {
    const key = parseKey(line);
    if (key === null || inBase.has(key) || inFrame.has(key)) continue;
    result.splice(placeFor(result, added.slice(0, at)), 0, line);
  }
  return result.join("\n");
}

const splitLines = (text: string): string[] => text.split("\n");

/** Returns the identity of an item: its line without the marker. */
function parseKey(line: string): string | null {
  const item = readBacklogItem(line);
  return item === null ? null : `${item.line.slice(0, item.markerAt)} ${item.line.slice(item.markerAt + 1)}`;
}

const joinText = (lines: readonly string[]): string => lines.filter((line) => parseKey(line) === null).join("\n");

const indexItems = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line): [string, string][] => {
      const key = parseKey(line);
      return key === null ? [] : [[key, line]];
    }),
  );

const FURTHER = [" ", "~", "A", "x"];

function furthest(line: string, other: string | undefined): string {
  const [one, two] = [readBacklogItem(line), readBacklogItem(other)];
  if (one === null || two === null || other === undefined) return line;
  return FURTHER.indexOf(two.marker) > FURTHER.indexOf(one.marker) ? other : line;
}

/** Returns the position after the nearest preceding line that `result` contains. */
function placeFor(result: readonly string[], above: readonly string[]): number {
  for (const line of above.toReversed()) {
    const key = parseKey(line);
    const at = result.findIndex((there) => (key === null ? there === line && line !== "" : parseKey(there) === key));
    if (at !== -1) return at + 1;
  }
  return result.length;
}
