import type { Choice, ChoiceId } from "../../../app/choice.ts";
import type { Choice as ToldChoice } from "../../../schema/api-project.ts";
import type { Result } from "./verb.ts";

/** What the command line takes for an answer given beforehand. */
const FLAGS: Readonly<Record<ChoiceId, string>> = {
  item: "one of these names instead",
  stale: "--on-stale <option>",
  partial: "--on-partial <option>",
  analysis: "--yes",
  supervision: "--supervised, or after: isdlc config set supervised-mode.enabled false",
  begun: "--on-partial <option>",
  git: "--no-git",
  dirty: "--allow-dirty",
  tests: "--tests",
  hooks: "--hooks",
  place: "--yes, --here to work here",
  worktree: "--worktree",
  proceed: "--yes",
  skips: "--yes",
  tasks: "--yes",
  discard: "--yes",
  trust: "--yes",
  countersign: "--yes",
  create: "--yes",
  remove: "--yes",
};

const flagOf = ({ id, path }: Choice): string => (path === undefined ? FLAGS[id] : `${FLAGS[id]}, or isdlc -C ${path}`);

/** What has to be chosen, with the flag by which it can be said beforehand. */
export const toldChoices = (choices: readonly Choice[]): ToldChoice[] =>
  choices.map((choice) => {
    const { kind, options, about } = choice;
    return { kind, options: [...options], flag: flagOf(choice), about: [...about] };
  });

/** `atTerminal`: the person was asked, and a no is a decision; elsewhere flags answer, and all of them are told at once. */
export function choicesResult(choices: readonly Choice[], atTerminal: boolean): Result {
  const told = toldChoices(choices);
  return atTerminal ? { ...openChoices(told), lines: choices.flatMap(declined) } : openChoices(told);
}

/** Nobody can be asked, and nothing was begun. */
export function openChoices(told: readonly ToldChoice[]): Result {
  const flags = [...new Set(told.map(({ flag }) => flag))].join(" and ");
  const lines = [...told.flatMap(({ about = [] }) => about), `Run it again with ${flags}.`];
  return { code: 3, lines, json: { ok: false, choice: told[0], choices: told } };
}

function declined(choice: Choice): string[] {
  const { kind, about, instead } = choice;
  if (instead !== undefined) return [`Nothing was started. ${instead}`];
  const isYesOrNo = kind === "confirm" || kind === "dirty" || kind === "trust";
  const way = isYesOrNo
    ? `Nothing was done. A yes can also be said beforehand: ${flagOf(choice)}.`
    : `Run it again with ${flagOf(choice)}.`;
  return [...(choice.declined ?? about), way];
}
