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

/** A person's answer, as any surface hands it over. */
export type AnswerRequest = {
  readonly by: Person;
  readonly option: string;
  /** The wait that is answered, which must be the open one; left out, whatever is open. */
  readonly wait?: WaitId | undefined;
  /** What the surface showed the person: `shownDigest` of the run that it showed. */
  readonly shown: string;
  /** Guidance, a reason or an amount, as the option needs it. */
  readonly text?: string | undefined;
  /** On single lines, for a redo. */
  readonly comments?: readonly ReviewComment[];
  readonly replies?: readonly Reply[];
  /** What each execution may use from now on, for a retry. */
  readonly limits?: ExecutionLimits | undefined;
  /** For a cancel: what agents left uncommitted stays in the tree, or is taken out and kept on a ref. */
  readonly tree?: "keep" | "restore" | undefined;
  /** Said twice, where the option gives work up. */
  readonly isConfirmed?: boolean;
  /** The signature of a passkey, which was verified. */
  readonly signature?: PasskeySignature | undefined;
};

/** What an answer may need of the working tree before it is recorded. */
export type AnswerTools = Pick<Project, "workspace" | "checks">;

export type AnswerContext = {
  readonly project: AnswerTools;
  readonly run: ActiveRun;
  readonly wait: Wait;
  readonly request: AnswerRequest;
};

/** What follows a recorded answer; tells what could not be done. The answer stands. */
export type Effect = (project: Project, run: ActiveRun, done: RecordResult) => Promise<readonly string[]>;

type AnswerRow = {
  /** The command, after whatever has to be done before it is recorded. */
  readonly command: (answering: AnswerContext) => PersonCommand | Promise<PersonCommand>;
  readonly after?: readonly Effect[];
};

const named = ({ request: { by }, wait }: AnswerContext) => ({ by, wait: wait.id });
const seen = (answering: AnswerContext) => ({ ...named(answering), shown: answering.request.shown });

const finish = (how: Finish): AnswerRow => ({ command: (answering) => ({ do: "finish", ...named(answering), how }) });
const size = (choice: "light" | "standard"): AnswerRow => ({
  command: (answering) => ({ do: "size", ...named(answering), choice }),
});

/** Every answer there is: what it records, and what is done before and after. */
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
      // What was shown is what is trusted; whoever opened the run with an earlier version was shown none.
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

/** To where the work is done; the code stays, to be improved. */
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

/** Giving work up is said twice. */
function discard(answering: AnswerContext): PersonCommand {
  needConfirmed(answering.request.isConfirmed === true);
  return { do: "finish", ...named(answering), how: "discard" };
}

/** @throws ChoicesNeeded where nobody said yes to giving work up. */
export function needConfirmed(isConfirmed: boolean): void {
  if (isConfirmed) return;
  const about = ["Discarding deletes the branch of the work; a ref keeps it."];
  throw new ChoicesNeeded([{ id: "discard", kind: "confirm", options: ["yes"], about }]);
}

async function takeBackRecord(project: Project, _run: ActiveRun, { state, head }: RecordResult) {
  return state.is === "ended" ? takeBackBuilt(project, state, head) : [];
}

/** A living driver ends its agent itself; one that was killed has left it behind. */
async function endAgent(project: Project, run: ActiveRun): Promise<readonly string[]> {
  try {
    await reapOrphans(project, run);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
