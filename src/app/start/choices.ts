import type { Choice, ChoiceId } from "../choice.ts";

/** What a person said beforehand, by the choice it answers. */
export type Decisions = Readonly<Partial<Record<ChoiceId, string>>>;

type OfferedChoice<T extends string> = Choice & { readonly options: readonly T[] };

/** Collects what is left to be chosen, so that a person is told all of it at once. */
export type Choices = {
  /** The option that was decided; else notes the choice as open, and gives `meanwhile` to go on planning with. */
  readonly resolve: <T extends string>(choice: OfferedChoice<T>, meanwhile: T) => T;
  /** The option that was decided; undefined where none was, which is no open choice. */
  readonly wished: <T extends string>(choice: OfferedChoice<T>) => T | undefined;
  readonly open: () => readonly Choice[];
};

/** `opened` is called when the first open choice is found. */
export function createChoices(
  decisions: Decisions,
  open: readonly Choice[] = [],
  opened: () => void = () => undefined,
): Choices {
  const wished = <T extends string>({ id, options }: OfferedChoice<T>): T | undefined => {
    const all: readonly T[] = options; // as offered, and not any texts
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
