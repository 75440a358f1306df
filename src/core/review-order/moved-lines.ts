/** Changed lines of one file, with their numbers. */
export type ChangedRows = {
  readonly path: string;
  readonly added: readonly NumberedLine[];
  readonly removed: readonly NumberedLine[];
};
export type NumberedLine = { readonly number: number; readonly text: string };

/** A block of at least ten lines that was removed in one place and added in another. */
export type Move = {
  readonly from: { readonly path: string; readonly first: number; readonly last: number };
  readonly to: { readonly path: string; readonly first: number; readonly last: number };
  /** Lines that are the same on both sides. */
  readonly same: number;
  /** Lines inside the block that were added or left out. */
  readonly edited: number;
};

const MIN_LINES = 10;
/** Number of equal lines in sequence that start a block. */
const SEED_LINES = 4;
/** Number of edited lines in sequence that a block may contain on each side. */
const MAX_GAP = 3;
/** Longer changes are not searched for moves. */
const MAX_LINES = 60_000;

/** Finds blocks that moved, also between files. Each line belongs to at most one block. */
export function findMoves(files: readonly ChangedRows[]): Move[] {
  const removed = files.map((file) => ({ path: file.path, lines: file.removed.filter(isMeaningful) }));
  const added = files.map((file) => ({ path: file.path, lines: file.added.filter(isMeaningful) }));
  const count = [...removed, ...added].reduce((sum, { lines }) => sum + lines.length, 0);
  if (count > MAX_LINES) return [];
  const seeds = indexSeeds(removed);
  const used = new Set<NumberedLine>();
  return added.flatMap((target) => movesInto(target, { seeds, used }));
}

type Side = { readonly path: string; readonly lines: readonly NumberedLine[] };
type Place = { readonly side: Side; readonly at: number };
type Search = { readonly seeds: ReadonlyMap<string, readonly Place[]>; readonly used: Set<NumberedLine> };

/** False for lines without letters or digits, such as braces, which occur everywhere. */
const isMeaningful = ({ text }: NumberedLine): boolean => /[\p{L}\p{N}]/u.test(text);

/** Seeds that occur more often prove nothing. */
const MAX_PLACES = 8;

function indexSeeds(sides: readonly Side[]): ReadonlyMap<string, readonly Place[]> {
  const seeds = new Map<string, Place[]>();
  for (const side of sides)
    for (let at = 0; at + SEED_LINES <= side.lines.length; at++) {
      const key = seedAt(side, at);
      const places = seeds.get(key) ?? [];
      if (places.length <= MAX_PLACES) places.push({ side, at });
      seeds.set(key, places);
    }
  return seeds;
}

const seedAt = ({ lines }: Side, at: number): string =>
  lines
    .slice(at, at + SEED_LINES)
    .map(({ text }) => text.trim())
    .join("\n");

function movesInto(target: Side, { seeds, used }: Search): Move[] {
  const moves: Move[] = [];
  for (let at = 0; at + SEED_LINES <= target.lines.length;) {
    const places = seeds.get(seedAt(target, at)) ?? [];
    const found = (places.length > MAX_PLACES ? [] : places)
      .map((place) => extend(place, { side: target, at }, used))
      .reduce<Extent | null>((best, one) => (best === null || one.pairs.length > best.pairs.length ? one : best), null);
    if (found === null || found.pairs.length < MIN_LINES) at++;
    else {
      for (const pair of found.pairs) for (const line of pair) used.add(line);
      moves.push(toMove(found, target.path));
      at = found.end;
    }
  }
  return moves;
}

type Pair = readonly [from: NumberedLine, to: NumberedLine];
type Extent = { readonly from: string; readonly pairs: readonly Pair[]; readonly edited: number; readonly end: number };

/** Follows two equal places while they stay nearly equal. */
function extend(from: Place, to: Place, used: ReadonlySet<NumberedLine>): Extent {
  const pairs: Pair[] = [];
  let [left, right, edited] = [from.at, to.at, 0];
  for (;;) {
    const step = nextPair({ lines: from.side.lines, at: left }, { lines: to.side.lines, at: right });
    const [one, other] = [from.side.lines[left + (step?.skip ?? 0)], to.side.lines[right + (step?.jump ?? 0)]];
    if (step === null || one === undefined || other === undefined || used.has(one) || used.has(other)) break;
    pairs.push([one, other]);
    edited += step.skip + step.jump;
    left += step.skip + 1;
    right += step.jump + 1;
  }
  return { from: from.side.path, pairs, edited, end: Math.max(right, to.at + 1) };
}

type Cursor = { readonly lines: readonly NumberedLine[]; readonly at: number };

/** Returns how many lines to skip on each side until both are equal again. Null if they stay different. */
function nextPair(from: Cursor, to: Cursor): { readonly skip: number; readonly jump: number } | null {
  for (let gap = 0; gap <= 2 * MAX_GAP; gap++)
    for (let skip = Math.max(0, gap - MAX_GAP); skip <= Math.min(gap, MAX_GAP); skip++) {
      const [one, other] = [from.lines[from.at + skip], to.lines[to.at + gap - skip]];
      if (one !== undefined && other !== undefined && one.text.trim() === other.text.trim())
        return { skip, jump: gap - skip };
    }
  return null;
}

function toMove({ from, pairs, edited }: Extent, path: string): Move {
  const numbers = (side: 0 | 1) => {
    const all = pairs.map((pair) => pair[side].number);
    return { first: Math.min(...all), last: Math.max(...all) };
  };
  return { from: { path: from, ...numbers(0) }, to: { path, ...numbers(1) }, same: pairs.length, edited };
}
