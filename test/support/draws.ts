/** Pseudorandom numbers of a storm: the same seed draws the same faults, victims and pauses. */
export type Draws = {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  between(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  /** Independent draws for a concurrent part, unaffected by the order in which other parts draw. */
  fork(part: string): Draws;
};

export function createDraws(seed: number): Draws {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error("nothing to pick from");
    return list[below(list.length)]!;
  };
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    pick,
    shuffle(list) {
      const left = [...list];
      return list.map(() => left.splice(below(left.length), 1)[0]!);
    },
    fork: (part) => createDraws(Buffer.from(part).reduce((sum, byte) => Math.imul(sum, 31) + byte, seed)),
  };
}
