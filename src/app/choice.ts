/** Something a person must settle before work goes on; nothing has been written yet. */
export type Choice = {
  /** What is asked. A surface knows by it how it can be answered beforehand. */
  readonly id: ChoiceId;
  readonly kind: ChoiceKind;
  readonly options: readonly string[];
  readonly about: readonly string[];
  /** The question, where a yes settles it. */
  readonly question?: string;
  /** What to do instead, for a person who was asked and said no. */
  readonly instead?: string;
};

export type ChoiceKind = "stale" | "partial" | "confirm" | "dirty" | "trust" | "item";

export type ChoiceId = "discard";

/** Thrown to leave what cannot go on without a person's choices. */
export class ChoicesNeeded extends Error {
  override readonly name = "ChoicesNeeded";
  readonly choices: readonly Choice[];
  constructor(choices: readonly Choice[]) {
    super(choices.flatMap(({ about }) => about).join("\n"));
    this.choices = choices;
  }
}
