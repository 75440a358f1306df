import type { AgentResult, Reply, Usage, Verdict } from "../schema/agent.ts";
import type { ReviewComment } from "../schema/comments.ts";
import type { EventDraft, Step } from "../schema/event.ts";
import type {
  CheckResult,
  Claim,
  FileChange,
  PhaseOutput,
  RepositoryStanding,
  ReturnBases,
  SettingsReading,
  Sizing,
  TestCommand,
} from "../schema/facts.ts";
import type { CommitId, ExecutionId, PhaseKey, RunId, Ticket, TreeId, WaitId } from "../schema/ids.ts";
import type { PasskeySignature } from "../schema/passkey.ts";
import type { Agent, Person } from "../schema/people.ts";
import type { Budget, ExecutionLimits, Finish } from "../schema/plan.ts";
import type { WaitOption } from "./run.ts";

/** Opens a run. Records every input of later decisions. */
export type StartCommand = {
  readonly do: "start";
  readonly facts: Omit<Extract<EventDraft, { type: "run.started" }>, "type">;
};

/**
 * Decisions. Each names the wait it answers: a stale menu or a double click is refused. At a gate it also contains
 * `shown`, the digest of the displayed summary: an answer to another summary is refused.
 */
export type PersonCommand = { readonly by: Person | Agent; readonly signature?: PasskeySignature } & (
  | { readonly do: "continue"; readonly wait: WaitId; readonly shown: string }
  | { readonly do: "review"; readonly wait: WaitId; readonly shown: string }
  | ({ readonly do: "redo"; readonly wait: WaitId; readonly shown: string } & Guidance)
  | { readonly do: "loosen"; readonly wait: WaitId }
  | { readonly do: "reply"; readonly wait: WaitId; readonly replies: readonly Reply[] }
  /**
   * Retries a failed step, or the current phase if `wait` is null. `limits`: new limits of each execution; absent if
   * unchanged.
   */
  | { readonly do: "retry"; readonly wait: WaitId; readonly limits?: ExecutionLimits; readonly guidance?: string }
  | { readonly do: "retry"; readonly wait: null }
  | { readonly do: "skip"; readonly wait: WaitId | null }
  /**
   * Accepts the offer of an escalation: changed or failing tests, or files with uncommitted user changes in the
   * commit. `tests`: test command trusted from now on.
   */
  | { readonly do: "accept"; readonly wait: WaitId; readonly tests?: TestCommand | null }
  | { readonly do: "size"; readonly wait: WaitId; readonly choice: "accept" | "light" | "standard" }
  | ({ readonly do: "back"; readonly to: PhaseKey; readonly tree: "restore" | "keep" } & Partial<Guidance>)
  | ({ readonly do: "changeAgents" } & ChangedAgents)
  | { readonly do: "raise"; readonly wait: WaitId; readonly budget: Budget }
  /** Files written outside the phase's permission were restored; `kept` is their backup. */
  | ({ readonly do: "revert"; readonly wait: WaitId } & RevertedFiles)
  | { readonly do: "finish"; readonly wait: WaitId; readonly how: Finish }
  | { readonly do: "cancel"; readonly reason: string }
  /** Recovery after a lost passkey. */
  | { readonly do: "removePasskey"; readonly passkey: string; readonly reason: string }
);

/** A user's request, in general and at single lines. */
export type Guidance = { readonly guidance: string; readonly comments?: readonly ReviewComment[] };

export type ChangedAgents = Omit<Extract<EventDraft, { type: "agents.changed" }>, "type" | "by">;

export type RevertedFiles = {
  readonly paths: readonly string[];
  readonly kept: string | null;
  readonly tree: TreeId | null;
};

/** Result reported by the engine. A failed step is an outcome too, never an endless loop. */
export type Report = { readonly do: "report"; readonly ticket: Ticket; readonly outcome: Outcome };

export type ExecutionFacts = {
  readonly execution: ExecutionId;
  readonly usage: Usage | null;
  readonly session: string | null;
};

export type Outcome =
  | { readonly of: Step; readonly failed: string; readonly detail: string }
  | { readonly of: "claim"; readonly claim: Claim; readonly prompt?: number; readonly tree?: TreeId }
  /** `reason`: why the execution was cut off; absent if its driver exited. */
  | ({
      readonly of: "lost";
      readonly reason?: string;
      /** True if the cost was estimated from tokens. */
      readonly estimated?: boolean;
      /** Stopped for the budget: it was spent, or `ahead` would have exceeded it. */
      readonly over?: { readonly ahead: Usage | null };
      readonly tree?: TreeId;
    } & Pick<ExecutionFacts, "execution"> &
      Partial<ExecutionFacts>)
  | ({
      readonly of: "broken";
      readonly reason: string;
      readonly detail: string;
      readonly again: boolean;
      /** Calls to the model service that the agent itself retried without success. */
      readonly retries?: number;
      readonly tree?: TreeId;
    } & ExecutionFacts)
  | { readonly of: "prepare" }
  /** Null if there are no tests to run any more. */
  | { readonly of: "baseline"; readonly result: CheckResult | null }
  | {
      readonly of: "enter";
      readonly commit: CommitId | null;
      readonly tree: TreeId | null;
      readonly standing?: RepositoryStanding;
      readonly bases?: ReturnBases;
    }
  | ({
      readonly of: "produce";
      readonly result: AgentResult;
      readonly dropped?: readonly string[];
      readonly denied?: readonly string[];
      readonly unguarded?: string;
      /** Files left by the agent. */
      readonly tree?: TreeId;
    } & ExecutionFacts)
  | {
      readonly of: "check";
      readonly results: readonly CheckResult[];
      readonly digest: string;
      readonly testsChanged: string | null;
      /** Current test command if it differs from the trusted one; the tests were not run then. */
      readonly tests?: TestCommand | null;
      readonly checkedBy?: readonly string[];
      /** Files after failed checks. */
      readonly tree?: TreeId;
    }
  | ({ readonly of: "review" } & Judgement & ExecutionFacts)
  /** Verdict found by code, without a reviewer. */
  | { readonly of: "judge"; readonly verdict: Verdict }
  | {
      readonly of: "complete";
      readonly made: CompletedFacts;
      readonly settings: SettingsReading;
      readonly digest: string;
      /** Files whose uncommitted user changes cannot be separated from the phase's changes. */
      readonly mixed?: readonly string[];
    }
  | ({ readonly of: "recheck" } & SecondLook)
  | { readonly of: "commit"; readonly commit: CommitId | null }
  /** The branch moved since the gate opened: nothing was committed. */
  | { readonly of: "commit"; readonly differs: SecondLook }
  | { readonly of: "measure"; readonly sizing: Sizing }
  | ({
      readonly of: "refine";
      readonly artifact: string;
      readonly tasks: number;
      readonly problems: readonly string[];
      readonly commit?: CommitId | null;
    } & ExecutionFacts)
  | {
      readonly of: "rewind";
      readonly kept: string | null;
      readonly restored: readonly string[];
      readonly commit: CommitId | null;
    }
  | { readonly of: "finish"; readonly merged: CommitId | null }
  /** The merge differs from the one shown: nothing was merged. */
  | { readonly of: "finish"; readonly moved: readonly string[]; readonly standing: RepositoryStanding };

/** Result of a rescan after the summary was shown. */
export type SecondLook = {
  readonly edited: readonly FileChange[] | null;
  readonly tree: TreeId | null;
  readonly results: readonly CheckResult[];
  readonly digest: string;
} & Partial<GateFacts>;

/** Facts of a scan other than the files. */
export type GateFacts = Required<Pick<PhaseOutput, "standing" | "notices">> &
  Pick<PhaseOutput, "commitTree" | "proposedCommit" | "plainTree" | "wholeTree">;

/**
 * A verdict, with files changed by the revision before it (`changed`) and files changed while the reviewer ran
 * (`written`).
 */
export type Judgement = {
  readonly verdict: Verdict;
  readonly changed?: readonly string[] | null;
  readonly written?: readonly string[];
};

/** Part of a phase's output that comes from outside the core. */
export type CompletedFacts = Pick<
  PhaseOutput,
  | "artifacts"
  | "changed"
  | "changedSinceSeen"
  | "unexpected"
  | "unmentioned"
  | "tree"
  | "lines"
  | "commitTree"
  | "proposedCommit"
  | "plainTree"
  | "wholeTree"
  | "standing"
  | "notices"
  | "reportedBy"
  | "checkedBy"
  | "unshown"
>;

export type Command = StartCommand | PersonCommand | Report;

export type Refusal =
  | {
      readonly why:
        | "noRun"
        | "notAPerson"
        | "reasonMissing"
        | "unanswered"
        | "alreadyPaused"
        | "nothingLoosened"
        | "sealed";
    }
  | { readonly why: "runActive"; readonly run: RunId }
  | { readonly why: "runEnded"; readonly how: "finished" | "cancelled" }
  | { readonly why: "lateOutcome"; readonly expected: Ticket | null }
  | { readonly why: "claimed"; readonly execution: ExecutionId }
  | { readonly why: "notOpen"; readonly open: WaitId | null }
  | { readonly why: "notOffered"; readonly valid: readonly WaitOption[] }
  | { readonly why: "redosSpent"; readonly limit: number }
  /** The gate now shows something else than the user saw. */
  | { readonly why: "notAsShown"; readonly wait: WaitId }
  | { readonly why: "budgetTooLow"; readonly spent: string; readonly ahead?: string }
  | { readonly why: "notEarlier"; readonly valid: readonly PhaseKey[] }
  | { readonly why: "nothingBefore" }
  | { readonly why: "notInPhase" }
  /**
   * `notSigned`: only a passkey may decide. `notAsSigned`: the signature covers something else. `passkeyUnknown`: the
   * run does not know the passkey.
   */
  | { readonly why: "notSigned" | "notAsSigned" | "passkeyUnknown" };

export type Decision =
  | { readonly ok: true; readonly events: readonly EventDraft[] }
  | { readonly ok: false; readonly refusal: Refusal };

export const accept = (...events: readonly EventDraft[]): Decision => ({ ok: true, events });
export const refuse = (refusal: Refusal): Decision => ({ ok: false, refusal });

const ASKS_FOR_REPLIES =
  'For each comment, put one entry into "replies" of your result: its id, "did" (applied, kept or answered) and in "text" what you did, or why you kept it as it is.';

/** Builds guidance for the agent: the user's text, then each comment with its id and line. */
export function guidanceText({ guidance = "", comments = [] }: Partial<Guidance>): string {
  if (comments.length === 0) return guidance;
  const parts = [guidance.trim(), ...comments.map(commentText), ASKS_FOR_REPLIES];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Returns the user's text of a guidance that `guidanceText` built. */
export function guidanceWords(guidance: string, comments: readonly ReviewComment[]): string {
  const added = guidanceText({ comments });
  return comments.length > 0 && guidance.endsWith(added) ? guidance.slice(0, -added.length).trim() : guidance;
}

function commentText({ id, place, text, suggestion }: ReviewComment): string {
  const { line, endLine = line } = place ?? { line: 0 };
  const lines = endLine === line ? `${line}` : `${line}-${endLine}`;
  const where = place === null ? "" : ` ${place.path}:${lines}${place.side === "old" ? " (as it was before)" : ""}`;
  return [
    `${id}${where}: ${text}`,
    ...(place === null || place.quote === "" ? [] : [quoted(endLine === line ? "The line" : "The lines", place.quote)]),
    ...(suggestion === null ? [] : [quoted("Suggested instead", suggestion)]),
  ].join("\n");
}

/** Prefixes every line: quoted text cannot be taken for the guidance around it. */
const quoted = (title: string, text: string): string => `  ${title}:\n${text.replaceAll(/^/gm, "  > ")}`;
