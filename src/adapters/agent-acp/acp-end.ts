import type { AgentEnd, AgentTask, FailureReason } from "../../ports/agent-backend.ts";
import type { AgentResult, Usage, Verdict } from "../../schema/agent.ts";
import type { AgentProcessEnd } from "../process/start-agent-process.ts";

type Failed = {
  readonly how: "failed";
  readonly reason: FailureReason;
  readonly detail: string;
  readonly again: boolean;
};
export type Told =
  | Failed
  | { readonly how: "result"; readonly result: AgentResult }
  | { readonly how: "verdict"; readonly verdict: Verdict };

export type AcpOutcome = {
  readonly process: AgentProcessEnd;
  /** How the conversation ended; null when it was cut off. */
  readonly told: Told | null;
  readonly usage: Usage | null;
  /** Null when there is none that could be gone on with. */
  readonly session: string | null;
  /** What it asked for and was not allowed. */
  readonly denied: readonly string[];
  /** The first line that was no message of the protocol. */
  readonly noise: string | null;
};

/** Longest part of a foreign text that goes into a failure. */
const LONGEST_DETAIL = 2000;

/** What was told in the conversation counts. How the process ended does only where it cut the conversation off. */
export function acpEnd(outcome: AcpOutcome, task: AgentTask): AgentEnd {
  const { usage, session, denied } = outcome;
  const told = outcome.told ?? cutOff(outcome, task);
  const refused = told.how === "result" && denied.length > 0 ? { denied } : {};
  return { type: "end", usage, session, ...told, ...refused };
}

export function failed(reason: FailureReason, detail: string, again: boolean): Failed {
  return { how: "failed", reason, detail: detail.trim().slice(0, LONGEST_DETAIL), again };
}

function cutOff(outcome: AcpOutcome, task: AgentTask): Failed {
  const { process: end } = outcome;
  switch (end.ended) {
    case "notStarted":
      return failed("not_started", end.stderrTail, false);
    case "aborted":
      return failed("aborted", "it was stopped", true);
    case "silent":
      return failed("silent", `it wrote nothing for ${task.limits.silence} seconds`, true);
    case "flooded":
      return failed("agent_failed", "it wrote more output than is accepted", false);
    case "exit":
      return failed(end.exitCode === 0 ? "no_result" : "bad_exit", exitText(outcome), true);
    default:
      return end.ended satisfies never;
  }
}

function exitText({ process: { exitCode, signal, stderrTail }, noise }: AcpOutcome): string {
  const how = exitCode === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with exit code ${exitCode}`;
  const said = [stderrTail.trim().slice(-LONGEST_DETAIL / 2), noise ?? ""].filter((text) => text !== "");
  return [`${how} in the middle of the conversation`, ...said].join(". ");
}
