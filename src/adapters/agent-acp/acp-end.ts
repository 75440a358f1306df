import type { AgentEnd, AgentTask } from "../../ports/agent-backend.ts";
import type { Usage } from "../../schema/agent.ts";
import {
  exitText,
  type ExecutionFailure,
  failed,
  stopped,
  type ExecutionResult,
  withDenied,
} from "../process/execution-end.ts";
import type { AgentProcessEnd } from "../process/start-agent-process.ts";

export type AcpOutcome = {
  readonly process: AgentProcessEnd;
  /** Result of the conversation. Null if it was cut off. */
  readonly told: ExecutionResult | null;
  readonly usage: Usage | null;
  /** Null if there is no conversation to resume. */
  readonly session: string | null;
  /** Requests that were not allowed. */
  readonly denied: readonly string[];
  /** First line that was not a protocol message. */
  readonly noise: string | null;
};

/** Returns the result of the conversation. The end of the process counts only if it cut the conversation off. */
export function acpEnd(outcome: AcpOutcome, task: AgentTask): AgentEnd {
  const { usage, session, denied } = outcome;
  const told = outcome.told ?? cutOff(outcome, task);
  return { type: "end", usage, session, ...withDenied(told, denied) };
}

function cutOff({ process: end, noise }: AcpOutcome, task: AgentTask): ExecutionFailure {
  const stop = stopped(end, task);
  if (stop !== null) return stop;
  const said = noise === null ? "" : `. ${noise}`;
  const detail = `in the middle of the conversation ${exitText(end)}${said}`;
  return failed(end.exitCode === 0 ? "no_result" : "bad_exit", detail, true);
}
