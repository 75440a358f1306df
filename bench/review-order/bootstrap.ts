/** A statistic with the bounds of its 95 % interval. */
export type Interval = { readonly value: number; readonly low: number; readonly high: number };

const RESAMPLES = 400;
const TAIL = 0.025;

/**
 * Estimates the interval of a statistic: draws repositories, then cases of each, as cases of one repository are alike.
 * Draws the same samples each time.
 */
export function bootstrapInterval(
  repositories: readonly string[],
  statistic: (chosen: readonly number[]) => number,
): Interval {
  const random = createRandom(SEED);
  const groups = new Map<string, number[]>();
  for (const [at, name] of repositories.entries()) groups.set(name, [...(groups.get(name) ?? []), at]);
  const lists = [...groups.values()];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // no list is empty
  const values = Array.from({ length: RESAMPLES }, () =>
    statistic(
      lists.flatMap(() => {
        const group = pick(lists);
        return group.map(() => pick(group));
      }),
    ),
  ).toSorted((a, b) => a - b);
  const at = (share: number): number => values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;
  return { value: statistic([...repositories.keys()]), low: at(TAIL), high: at(1 - TAIL) };
}

const SEED = 42;

/** Linear congruential generator: good enough to draw samples, and the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
