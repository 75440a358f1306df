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
  /** How the conversation ended; null when it was cut off. */
  readonly told: ExecutionResult | null;
  readonly usage: Usage | null;
  /** Null when there is none that could be gone on with. */
  readonly session: string | null;
  /** What it asked for and was not allowed. */
  readonly denied: readonly string[];
  /** The first line that was no message of the protocol. */
  readonly noise: string | null;
};

/** What was told in the conversation counts. How the process ended does only where it cut the conversation off. */
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
