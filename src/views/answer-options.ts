import { codePhaseBefore, listWaitOptions } from "../core/next.ts";
import { type ActiveRun, currentPhase, indexAfter, redoLimit, type Wait, type WaitOption } from "../core/run.ts";
import { isGateDue } from "../core/supervision.ts";
import type { AnswerOption } from "../schema/api.ts";
import { troubleWords } from "./trouble-lines.ts";

/** Texts of an option: on a button, in a terminal menu, and as a command. */
type Words = {
  readonly label: string;
  /** Description after the label in a menu. */
  readonly short: string;
  /** Effect of the option, in one sentence. */
  readonly effect: string | ((run: ActiveRun) => string);
  readonly tone?: AnswerOption["tone"];
  readonly needs?: AnswerOption["needs"];
  /** Key at a gate. */
  readonly key?: string;
  /** Command to type outside a menu. Default: `isdlc answer <option>`. */
  readonly command?: string;
};

const words: Readonly<Record<WaitOption, Words>> = {
  continue: {
    label: "Continue",
    short: "advance to next phase",
    effect: (run) => `Accepts these changes and ${afterThis(run)}.`,
    tone: "primary",
    key: "c",
    command: "isdlc continue",
  },
  review: {
    label: "Review",
    short: "pause for manual review/edits, resume when ready",
    effect: "Pauses the run for your own edits. It resumes when you choose Continue.",
    key: "r",
    command: "isdlc review",
  },
  redo: {
    label: "Redo",
    short: "re-run this phase with additional guidance",
    effect: (run) =>
      `Sends the phase back to the agent with your guidance (redo ${(currentPhase(run)?.redos ?? 0) + 1} of ${redoLimit(run)}).`,
    needs: "guidance",
    key: "d",
    command: 'isdlc redo "<guidance>"',
  },
  back: {
    label: "Send back",
    short: "to the phase that writes the code, with guidance; keeps the code",
    effect: (run) =>
      `Sends the work back to ${codePhaseBefore(run)?.rule.name ?? "the code"} with your guidance and keeps the code.`,
    needs: "guidance",
    key: "b",
    command: 'isdlc back <phase> "<guidance>"',
  },
  loosen: {
    label: "Loosen",
    short: "let the settings as they are now take effect",
    effect: "Applies the new settings: fewer gates from now on.",
    tone: "danger",
    needs: "confirm",
    key: "l",
  },
  revert: {
    label: "Revert",
    short: "restore files this phase should not have changed (saved under a ref)",
    effect: "Restores the files outside this phase's scope. Their contents are saved under a git ref.",
    key: "x",
  },
  answer: {
    label: "Send answers",
    short: "give the agent your answers",
    effect: "Sends your answers to the agent, which continues.",
    tone: "primary",
    needs: "replies",
  },
  retry: {
    label: "Retry",
    short: "try again",
    effect: "Retries the failed step.",
    tone: "primary",
    command: "isdlc retry",
  },
  skip: {
    label: "Skip",
    short: "continue without it (recorded)",
    effect: "Skips the failed step. The skip is recorded, and the run continues.",
    tone: "danger",
    needs: "confirm",
    command: "isdlc skip",
  },
  accept: {
    label: "Accept",
    short: "run the tests with the changed configuration",
    effect: "Accepts the changed test setup and continues.",
  },
  light: {
    label: "Light",
    short: "skip architecture and design",
    effect: "Skips the phases that small work does not need.",
  },
  standard: { label: "Standard", short: "keep every phase", effect: "Keeps every phase." },
  raise: {
    label: "Raise",
    short: "let it use more",
    effect: "Raises the budget to your amount and continues.",
    tone: "primary",
    needs: "amount",
  },
  merge: {
    label: "Merge",
    short: "merge the branch here",
    effect: (run) => `Merges the branch into ${run.run.git?.base ?? "its base"} and ends the run.`,
    tone: "primary",
  },
  squash: {
    label: "Squash",
    short: "merge it as one commit",
    effect: (run) => `Adds the work to ${run.run.git?.base ?? "its base"} as one commit and ends the run.`,
  },
  pr: {
    label: "Pull request",
    short: "keep the branch and show how to open it",
    effect: "Keeps the branch for a pull request and ends the run.",
  },
  keep: {
    label: "Keep",
    short: "keep the branch as it is",
    effect: "Ends the run and leaves the branch as it is.",
  },
  discard: {
    label: "Discard",
    short: "delete the branch; the work stays under a git ref",
    effect: "Deletes the branch and ends the run. The work stays recoverable under a git ref.",
    tone: "danger",
    needs: "confirm",
    command: "isdlc answer discard --yes",
  },
  cancel: {
    label: "Cancel",
    short: "end the run; its branch and documents are kept",
    effect: "Ends the run. Branch and documents stay as they are.",
    tone: "danger",
    needs: "reason",
    command: 'isdlc cancel --reason "…"',
  },
};

/** Actions on the run itself, independent of the open wait. */
const actions: Readonly<Record<"resume" | "retry" | "skip" | "back" | "cancel", Words>> = {
  resume: {
    label: "Resume",
    short: "continue where the run stopped",
    effect: "Continues where the run stopped.",
    tone: "primary",
  },
  retry: {
    label: "Restart the phase",
    short: "restart the current phase",
    effect: "Ends the running agent and restarts the phase.",
    needs: "confirm",
  },
  skip: {
    label: "Skip the phase",
    short: "skip the current phase",
    effect: "Ends the running agent and skips the phase.",
    tone: "danger",
    needs: "confirm",
  },
  back: {
    label: "Go back",
    short: "return to an earlier phase",
    effect: "Returns to an earlier phase. Later work must be checked again; it is saved under a git ref.",
    needs: "phase",
  },
  cancel: words.cancel,
};

/** Returns the options of a wait, with the texts shared by all interfaces. */
export const answerOptions = (run: ActiveRun, wait: Wait): AnswerOption[] =>
  listWaitOptions(run, wait).map((option) => told(option, wordsFor(option, wait), run));

/** Returns the actions on the run itself. Each is also a CLI command. */
export function runActions(
  run: ActiveRun,
  may: { readonly isDriven: boolean; readonly goesBack: boolean },
): AnswerOption[] {
  const isAtWork = run.wait === null;
  const offered: (keyof typeof actions)[] = [
    ...(isAtWork && !may.isDriven ? ["resume" as const] : []),
    ...(isAtWork && currentPhase(run) !== undefined ? ["retry" as const, "skip" as const] : []),
    ...(may.goesBack ? ["back" as const] : []),
    "cancel",
  ];
  return offered.map((option) => told(option, actions[option], run));
}

/** Formats a menu entry: `Retry -- try again`. Warns if the option removes gates. */
export function menuLabel(option: WaitOption, wait: Wait, run: ActiveRun): string {
  const { label, short } = wordsFor(option, wait);
  const lost = dropsPhases(option, wait) ? lostGates(run) : [];
  const warning = lost.length === 0 ? "" : ` (removes the review gate after ${lost.join(" and ")})`;
  return `${label} -- ${short}${warning}`;
}

const dropsPhases = (option: WaitOption, wait: Wait): boolean =>
  wait.kind === "sizing" && (option === "light" || (option === "accept" && wait.sizing.recommended === "light"));

/** Later phases with a review gate that the light size skips. */
const lostGates = ({ phases, index, supervision }: ActiveRun): string[] =>
  phases
    .slice(index + 1)
    .filter(({ rule }) => rule.whenLight === "drop" && isGateDue(supervision, rule.key))
    .map(({ rule }) => rule.name);

/** Formats a gate menu entry: `[C] Continue -- advance to next phase`. */
export function gateMenuLine(option: WaitOption, run: ActiveRun): string {
  const { label, short, key = option } = words[option];
  return `[${key.toUpperCase()}] ${label} -- ${option === "continue" && isLastPhase(run) ? lastStep(run) : short}`;
}

const isLastPhase = ({ phases, index }: ActiveRun): boolean => phases[indexAfter(phases, index)] === undefined;

const lastStep = ({ run }: ActiveRun): string =>
  run.options.finish === "ask" ? "accept, then choose how the run ends" : "accept and end the run";

/** Returns the key of an option at a gate, or null if it has none. */
export const gateKey = (option: WaitOption): string | null => words[option].key ?? null;

/** Returns the CLI command of an option. */
export const answerCommand = (option: WaitOption): string => words[option].command ?? `isdlc answer ${option}`;

function told(option: string, said: Words, run: ActiveRun): AnswerOption {
  const { label, effect, tone = "plain", needs = "nothing" } = said;
  return { option, label, effect: typeof effect === "string" ? effect : effect(run), tone, needs };
}

/** Returns the texts of an option, which differ by the kind of wait. */
function wordsFor(option: WaitOption, wait: Wait): Words {
  const usual = words[option];
  if (wait.kind === "escalation") return { ...usual, ...troubleWords[wait.reason]?.[option] };
  if (option === "accept" && wait.kind === "sizing")
    return {
      ...usual,
      short: `${wait.sizing.recommended}, as recommended`,
      effect: "Continues with the recommended size.",
      tone: "primary",
    };
  return usual;
}

function afterThis(run: ActiveRun): string {
  const following = run.phases[indexAfter(run.phases, run.index)];
  return following === undefined ? "continues to the end of the run" : `starts ${following.rule.name}`;
}
