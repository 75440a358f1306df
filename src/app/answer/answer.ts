import type { PersonCommand, RevertedFiles } from "../../core/command.ts";
import { listWaitOptions } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun, Wait, WaitOption } from "../../core/run.ts";
import type { AnswerOption } from "../../schema/api.ts";
import type { Person } from "../../schema/people.ts";
import { answerOptions } from "../../views/answer-options.ts";
import type { Project } from "../project/project.ts";
import { type AnswerContext, type AnswerRequest, answerTable, type AnswerTools } from "./answer-table.ts";
import { type LeftInTree, resolveTree, type ResolvedTree } from "./left-in-tree.ts";
import { record, type RecordResult } from "../project/current-run.ts";

export type AnswerResult = RecordResult & {
  /** Current name of the option. */
  readonly option: WaitOption;
  /** Files restored before the answer was recorded; null if none. */
  readonly reverted: RevertedFiles | null;
  /** Files left in the working tree by a cancelled run; null if none. */
  readonly left: LeftInTree | null;
};

/** Former names of options. */
const FORMER_NAMES: ReadonlyMap<string, WaitOption> = new Map([["take-out", "revert"]]);

/** Lists the possible answers, with their labels and effects. Empty if no wait is open. */
export const listAnswers = (run: ActiveRun): readonly AnswerOption[] =>
  run.wait === null ? [] : answerOptions(run, run.wait);

/** Returns the digest of the displayed wait, which the answer must contain. */
export function shownDigest({ wait }: Pick<ActiveRun, "wait">): string {
  if (wait === null) return "";
  return wait.kind === "gate" ? wait.digest : wait.id;
}

/**
 * Answers the open wait: runs the effects before the answer, records it, and runs the effects after it.
 * @throws ProblemError if refused, ChoicesNeeded if a confirmation is missing. Nothing was recorded then.
 */
export async function answer(project: Project, run: ActiveRun, request: AnswerRequest): Promise<AnswerResult> {
  openWait(run, request.wait);
  refuseWhileHeld(project, request.by);
  const { option, command } = await commandFor(project, run, request);
  const { signature } = request;
  const done = await record(project, run.run.run, signature === undefined ? command : { ...command, signature });
  const warnings = [...done.warnings];
  for (const effect of answerTable[option].after ?? []) warnings.push(...(await effect(project, run, done)));
  const { left, warnings: unresolved } =
    command.do === "cancel" ? await resolveTree(project, run, request.tree) : NOTHING_LEFT;
  const reverted = command.do === "revert" ? command : null;
  return { ...done, warnings: [...warnings, ...unresolved], option, reverted, left };
}

const NOTHING_LEFT: ResolvedTree = { left: null, warnings: [] };

export type AnswerCommand = { readonly option: WaitOption; readonly command: PersonCommand };

/**
 * Creates the command of an answer, after the effects that come before it is recorded.
 * @throws ProblemError if the wait is not open or the option not offered, ChoicesNeeded if a confirmation is missing.
 */
export async function commandFor(project: AnswerTools, run: ActiveRun, request: AnswerRequest): Promise<AnswerCommand> {
  const named = FORMER_NAMES.get(request.option) ?? request.option;
  const wait = openWait(run, request.wait);
  const valid = listWaitOptions(run, wait);
  if (!isOption(named) || !isOffered(named, wait, valid))
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOffered", valid } });
  const answering: AnswerContext = { project, run, wait, request };
  return { option: named, command: await answerTable[named].command(answering) };
}

const isOption = (name: string): name is WaitOption => Object.hasOwn(answerTable, name);

/** Refuses an answer from this terminal while another terminal displays the gate. */
export function refuseWhileHeld({ driver }: Pick<Project, "driver">, by: Person): void {
  const pid = by.channel === "terminal" ? driver.otherHolder() : null;
  if (pid !== null) throw new ProblemError({ code: "GATE_HELD", pid });
}

function openWait({ wait }: ActiveRun, named: string | undefined): Wait {
  if (wait !== null && (named === undefined || named === wait.id)) return wait;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: wait?.id ?? null } });
}

/** At a gate the core gives a more precise reason. A revert must be offered, because its effect comes first. */
const isOffered = (option: WaitOption, wait: Wait, valid: readonly WaitOption[]): boolean =>
  valid.includes(option) || (wait.kind === "gate" && option !== "revert");
