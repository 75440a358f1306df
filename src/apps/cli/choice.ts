import type { Result } from "./verb.ts";

/** Something a person must settle before a run is started; nothing has been written yet. */
export type Choice = {
  readonly kind: "stale" | "partial" | "confirm" | "dirty" | "trust" | "item";
  readonly options: readonly string[];
  readonly flag: string;
  readonly about: readonly string[];
};

/** Thrown to leave the preparation of a run; becomes exit code 3. */
export class ChoiceNeeded extends Error {
  override readonly name = "ChoiceNeeded";
  readonly choice: Choice;
  constructor(choice: Choice) {
    super(choice.about.join("\n"));
    this.choice = choice;
  }
}

export function choiceResult({ kind, options, flag, about }: Choice): Result {
  return {
    code: 3,
    lines: [...about, `Run it again with ${flag}.`],
    json: { ok: false, choice: { kind, options, flag, about } },
  };
}
