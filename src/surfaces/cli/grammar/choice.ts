import type { Choice, ChoiceId } from "../../../app/choice.ts";
import type { Choice as ToldChoice } from "../../../schema/api-project.ts";
import type { Result } from "../invocation/verb.ts";

/** The option that answers each choice in advance. */
const FLAGS: Readonly<Record<ChoiceId, string>> = {
  item: "one of these names instead",
  another: "--yes",
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

const choiceFlag = ({ id, path }: Choice): string =>
  path === undefined ? FLAGS[id] : `${FLAGS[id]}${ELSEWHERE}${path}`;

const ELSEWHERE = ", or isdlc -C ";
const OPTION = "<option>";

/** Returns the option with each value accepted here. */
function flagUsage({ flag, options }: Pick<ToldChoice, "flag" | "options">): string {
  if (flag === FLAGS.tests) return "--tests trust, --tests none or --tests '<command>'";
  if (flag === FLAGS.hooks) return listed(options.map((option) => `${flag} ${option}`));
  if (!flag.includes(OPTION)) return flag;
  const [way = flag, ...elsewhere] = flag.split(ELSEWHERE);
  return [listed(options.map((option) => way.replace(OPTION, option))), ...elsewhere].join(ELSEWHERE);
}

const listed = (ways: readonly string[]): string =>
  ways.length < 2 ? ways.join("") : `${ways.slice(0, -1).join(", ")} or ${ways.at(-1) ?? ""}`;

/** Lists the open choices, each with the option that answers it. */
export const toldChoices = (choices: readonly Choice[]): ToldChoice[] =>
  choices.map((choice) => {
    const { kind, options, about } = choice;
    return { kind, options: [...options], flag: choiceFlag(choice), about: [...about] };
  });

/**
 * Returns the result for open choices. `atTerminal`: the user was asked and declined. Otherwise options answer them,
 * and all choices are reported at once.
 */
export function choicesResult(choices: readonly Choice[], atTerminal: boolean): Result {
  const told = toldChoices(choices);
  return atTerminal ? { ...openChoices(told), lines: choices.flatMap(declined) } : openChoices(told);
}

/** Returns the result if a choice is open and no user can be asked. Nothing was started. */
export function openChoices(told: readonly ToldChoice[]): Result {
  const flags = [...new Set(told.map(flagUsage))];
  const [only = ""] = flags;
  const again = flags.length < 2 ? [`Run it again with ${only}.`] : ["Run it again with:", ...flags.map(indented)];
  const lines = [...told.flatMap(({ about = [] }) => about), ...again];
  return { code: 3, lines, json: { ok: false, choice: told[0], choices: told } };
}

const indented = (line: string): string => `  ${line}`;

function declined(choice: Choice): string[] {
  const { kind, about, instead } = choice;
  if (instead !== undefined) return [`Nothing was started. ${instead}`];
  const isYesOrNo = kind === "confirm" || kind === "dirty" || kind === "trust";
  const usage = flagUsage({ flag: choiceFlag(choice), options: [...choice.options] });
  const way = isYesOrNo ? `Cancelled. (Use ${usage} to skip this question.)` : `Run it again with ${usage}.`;
  return [...(choice.declined ?? about), way];
}
