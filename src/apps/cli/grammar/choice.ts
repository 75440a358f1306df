import type { Result } from "./verb.ts";

/** Something a person must settle before a run is started; nothing has been written yet. */
export type Choice = {
  readonly kind: "stale" | "partial" | "confirm" | "dirty" | "trust" | "item";
  readonly options: readonly string[];
  readonly flag: string;
  readonly about: readonly string[];
  /** What to do instead, for a person who was asked and said no. */
  readonly instead?: string;
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

/** `atTerminal`: the person was asked, and a no is a decision; elsewhere a flag answers. */
export function choiceResult(choice: Choice, atTerminal: boolean): Result {
  const { kind, options, flag, about } = choice;
  return {
    code: 3,
    lines: atTerminal ? declined(choice) : [...about, again(choice)],
    json: { ok: false, choice: { kind, options, flag, about } },
  };
}

function declined(choice: Choice): string[] {
  const { kind, flag, about, instead } = choice;
  if (instead !== undefined) return [`Nothing was started. ${instead}`];
  const isYesOrNo = kind === "confirm" || kind === "dirty" || kind === "trust";
  return [...about, isYesOrNo ? `Nothing was done. A yes can also be said beforehand: ${flag}.` : again(choice)];
}

const again = ({ flag }: Choice): string => `Run it again with ${flag}.`;
