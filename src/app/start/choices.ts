import type { Choice, ChoiceId } from "../choice.ts";

/** Decisions given in advance, by choice. */
export type Decisions = Readonly<Partial<Record<ChoiceId, string>>>;

type OfferedChoice<T extends string> = Choice & { readonly options: readonly T[] };

/** Collects open choices, to report all of them at once. */
export type Choices = {
  /**
   * Returns the decided option. If undecided, records the choice as open and returns `meanwhile` to continue planning.
   */
  readonly resolve: <T extends string>(choice: OfferedChoice<T>, meanwhile: T) => T;
  /** Returns the decided option, if any. An undecided one is not recorded as open. */
  readonly wished: <T extends string>(choice: OfferedChoice<T>) => T | undefined;
  readonly open: () => readonly Choice[];
};

/** Creates the collection. `opened` is called before the first choice is recorded, unless `open` has undecided ones. */
export function createChoices(
  decisions: Decisions,
  open: readonly Choice[] = [],
  opened: () => void = () => undefined,
): Choices {
  const wished = <T extends string>({ id, options }: OfferedChoice<T>): T | undefined => {
    const all: readonly T[] = options; // the offered options, not arbitrary texts
    return all.find((option) => option === decisions[id]);
  };
  const found: Choice[] = open.filter((choice) => wished(choice) === undefined);
  return {
    resolve(choice, meanwhile) {
      const decided = wished(choice);
      if (decided === undefined && found.length === 0) opened();
      if (decided === undefined) found.push(choice);
      return decided ?? meanwhile;
    },
    wished,
    open: () => found,
  };
}
