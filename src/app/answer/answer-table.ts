import type { PersonCommand } from "../../core/command.ts";
import { codePhaseBefore, listWaitOptions } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, TESTS_CHANGED, type Wait, type WaitOption } from "../../core/run.ts";
import { chosenCommands } from "../../core/test-command.ts";
import type { Reply } from "../../schema/agent.ts";
import type { ReviewComment } from "../../schema/comments.ts";
import type { WaitId } from "../../schema/ids.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import type { ExecutionLimits, Finish } from "../../schema/plan.ts";
import { ChoicesNeeded } from "../choice.ts";
import type { Project } from "../project/project.ts";
import { raisedBudget } from "./raised-budget.ts";
import { reapOrphans } from "./reap-orphans.ts";
import type { RecordResult } from "../project/current-run.ts";
import { revertWrites } from "./revert-writes.ts";
import { takeBackBuilt } from "./take-back-built.ts";

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
