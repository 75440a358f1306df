/** Repeatable random choices from one seed. */
export interface Dice {
  number(): number;
  /** True in this percentage of cases. */
  chance(percent: number): boolean;
  of<T>(choices: readonly T[]): T;
}

export function rollDice(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const number = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
  return {
    number,
    chance: (percent) => number() % 100 < percent,
    of(choices) {
      const chosen = choices[number() % choices.length];
      if (chosen === undefined) throw new Error("nothing to choose from");
      return chosen;
    },
  };
}
