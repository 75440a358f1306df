import type { PersonCommand, RevertedFiles } from "../../core/command.ts";
import { codePhaseBefore, listWaitOptions, isFile } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, TESTS_CHANGED, type Wait, type WaitOption, currentPhase } from "../../core/run.ts";
import { chosenCommands } from "../../core/test-command.ts";
import type { Reply } from "../../schema/agent.ts";
import type { ReviewComment } from "../../schema/comments.ts";
import type { WaitId } from "../../schema/ids.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import type { ExecutionLimits, Finish, Budget } from "../../schema/plan.ts";
import { ChoicesNeeded } from "../choice.ts";
import type { Project } from "../project/project.ts";
import type { RecordResult } from "../project/current-run.ts";
import { takeBackBuilt } from "./take-back-built.ts";
import { sumTokens } from "../../core/budget.ts";
import { reapOrphans } from "./left-in-tree.ts";

/** Answer of a user, from any interface. */
export type AnswerRequest = {
  readonly by: Person;
  readonly option: string;
  /** The wait to answer, which must be the open one. Default: the open wait. */
  readonly wait?: WaitId | undefined;
  /** Digest of the summary shown to the user: `shownDigest` of the displayed run. */
  readonly shown: string;
  /** Guidance, reason or amount, depending on the option. */
  readonly text?: string | undefined;
  /** Comments on single lines, for a redo. */
  readonly comments?: readonly ReviewComment[];
  readonly replies?: readonly Reply[];
  /** New limits of each execution, for a retry. */
  readonly limits?: ExecutionLimits | undefined;
  /**
   * For a cancel: keeps uncommitted changes of agents in the working tree, or saves them under a ref and removes them.
   */
  readonly tree?: "keep" | "restore" | undefined;
  /** True if the user confirmed an option that discards work. */
  readonly isConfirmed?: boolean;
  /** Passkey signature, already verified. */
  readonly signature?: PasskeySignature | undefined;
};

/** Ports needed by an answer before it is recorded. */
export type AnswerTools = Pick<Project, "workspace" | "checks">;

export type AnswerContext = {
  readonly project: AnswerTools;
  readonly run: ActiveRun;
  readonly wait: Wait;
  readonly request: AnswerRequest;
};

/** Effect after a recorded answer. Returns its failures as warnings; the answer stays recorded. */
export type Effect = (project: Project, run: ActiveRun, done: RecordResult) => Promise<readonly string[]>;

type AnswerRow = {
  /** Creates the command, after any effects that must come before it is recorded. */
  readonly command: (answering: AnswerContext) => PersonCommand | Promise<PersonCommand>;
  readonly after?: readonly Effect[];
};

const named = ({ request: { by }, wait }: AnswerContext) => ({ by, wait: wait.id });
const seen = (answering: AnswerContext) => ({ ...named(answering), shown: answering.request.shown });

const finish = (how: Finish): AnswerRow => ({ command: (answering) => ({ do: "finish", ...named(answering), how }) });
const size = (choice: "light" | "standard"): AnswerRow => ({
  command: (answering) => ({ do: "size", ...named(answering), choice }),
});

/** All answers: the command to record, and the effects before and after it. */
export const answerTable: Readonly<Record<WaitOption, AnswerRow>> = {
  continue: { command: (answering) => ({ do: "continue", ...seen(answering) }) },
  review: { command: (answering) => ({ do: "review", ...seen(answering) }) },
  redo: {
    command(answering) {
      const { text: guidance = "", comments = [] } = answering.request;
      return { do: "redo", ...seen(answering), guidance, comments };
    },
  },
  back: { command: sendBack },
  loosen: { command: (answering) => ({ do: "loosen", ...named(answering) }) },
  revert: {
    async command(answering) {
      return { do: "revert", ...named(answering), ...(await revertWrites(answering.project, answering.run)) };
    },
  },
  answer: {
    command: (answering) => ({ do: "reply", ...named(answering), replies: answering.request.replies ?? [] }),
  },
  retry: {
    command(answering) {
      const { limits, text } = answering.request;
      const guidance = text === undefined || text.trim() === "" ? {} : { guidance: text };
      return { do: "retry", ...named(answering), ...(limits === undefined ? {} : { limits }), ...guidance };
    },
  },
  skip: { command: (answering) => ({ do: "skip", ...named(answering) }) },
  accept: {
    async command(answering) {
      const { wait } = answering;
      if (wait.kind === "sizing") return { do: "size", ...named(answering), choice: "accept" };
      if (wait.kind === "escalation" && wait.reason !== TESTS_CHANGED) return { do: "accept", ...named(answering) };
      // Trusts the command that was shown. A run opened with an earlier version showed none.
      const shown = wait.kind === "escalation" ? wait.tests : undefined;
      const tests =
        shown === undefined
          ? (await answering.project.checks.detectTests(chosenCommands(answering.run.tests)))?.command
          : shown;
      return { do: "accept", ...named(answering), tests: tests ?? null };
    },
  },
  light: size("light"),
  standard: size("standard"),
  raise: { command: raise },
  merge: finish("merge"),
  squash: finish("squash"),
  pr: finish("pr"),
  keep: finish("keep"),
  discard: { command: discard },
  cancel: {
    command: ({ request: { by, text = "" } }) => ({ do: "cancel", by, reason: text }),
    after: [takeBackRecord, endAgent],
  },
};

/** Sends the work back to the nearest earlier phase that may write code, and keeps the code. */
function sendBack({ request: { by, text = "", comments = [] }, run, wait }: AnswerContext): PersonCommand {
  const phase = codePhaseBefore(run);
  if (phase === null)
    throw new ProblemError({
      code: "COMMAND_REFUSED",
      refusal: { why: "notOffered", valid: listWaitOptions(run, wait) },
    });
  return { do: "back", by, to: phase.rule.key, tree: "keep", guidance: text, comments };
}

function raise(answering: AnswerContext): PersonCommand {
  const budget = raisedBudget(answering.wait, answering.request.text ?? "");
  if (budget !== null) return { do: "raise", ...named(answering), budget };
  const isInTokens = answering.wait.kind === "budget" && answering.wait.budget.usd === null;
  const unit = isInTokens ? "tokens" : "dollars";
  throw new ProblemError({
    code: "USAGE",
    detail: `--text takes a number of ${unit}.`,
    usage: `isdlc answer raise --text <${unit}>`,
  });
}

/** Discarding work needs a confirmation. */
function discard(answering: AnswerContext): PersonCommand {
  needConfirmed(answering.request.isConfirmed === true);
  return { do: "finish", ...named(answering), how: "discard" };
}

/** @throws ChoicesNeeded unless discarding the work was confirmed. */
export function needConfirmed(isConfirmed: boolean): void {
  if (isConfirmed) return;
  const about = ["Discarding deletes the branch of the work; a ref keeps it."];
  throw new ChoicesNeeded([{ id: "discard", kind: "confirm", options: ["yes"], about }]);
}

async function takeBackRecord(project: Project, _run: ActiveRun, { state, head }: RecordResult) {
  return state.is === "ended" ? takeBackBuilt(project, state, head) : [];
}

/** Ends the orphaned agent of a killed driver. A live driver ends its agent itself. */
async function endAgent(project: Project, run: ActiveRun): Promise<readonly string[]> {
  try {
    await reapOrphans(project, run);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Returns the new budget for the user's input: dollars, or tokens if only tokens are limited. Without input, the
 * usage so far plus the old limit, or plus the need of the next step if this is higher. Null for an invalid amount.
 */
function raisedBudget(wait: Wait, said: string): Budget | null {
  if (wait.kind !== "budget") return null;
  const { usd, tokens } = wait.budget;
  const { spent, ahead = NOTHING } = wait;
  const more = (limit: number | null, used: number, next: number): number | null =>
    limit === null ? null : used + Math.max(limit, next);
  const again = {
    usd: more(usd, spent.usd ?? 0, ahead.usd ?? 0),
    tokens: more(tokens, sumTokens(spent), sumTokens(ahead)),
  };
  const amount = said.trim().replace(/^\$/, "");
  if (amount === "") return again;
  if (usd === null) return /^[0-9]{1,12}$/.test(amount) ? { usd, tokens: Number(amount) } : null;
  return /^[0-9]{1,6}(?:\.[0-9]{1,4})?$/.test(amount) ? { ...again, usd: Number(amount) } : null;
}

const NOTHING = { input: null, output: null, usd: null };

/** Restores files that the phase was not allowed to write. The state before is saved under a ref. */
async function revertWrites(project: Pick<Project, "workspace">, run: ActiveRun): Promise<RevertedFiles> {
  const phase = currentPhase(run);
  const paths = (phase?.made?.unexpected ?? []).filter(isFile);
  if (phase === undefined || phase.firstTree === null)
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "earlier states of the files are not kept" });
  const workspace = project.workspace(run);
  const name = `${phase.rule.key}-${phase.attempts}-reverted-${run.seq}`;
  const before = `${name}-before`;
  // Reuses the first snapshot if an earlier try was interrupted.
  const kept = (await workspace.kept(before)) ?? (await workspace.snapshot(before, [run.run.item]));
  await workspace.restore(phase.firstTree, paths);
  const tree = await workspace.snapshot(name, [run.run.item]);
  const shown = phase.made?.tree ?? null;
  const others = [
    ...((await workspace.diff(shown, kept)) ?? [null]),
    ...((await workspace.diff(kept, tree)) ?? [null]),
  ];
  // If other files changed since the gate, they must be shown first.
  const isAll = others.every((change) => change !== null && paths.includes(change.path));
  return { paths, kept, tree: isAll ? tree : null };
}
