import type { Problem } from "../core/problem.ts";
import type { UNAVAILABLE } from "../core/run.ts";
import type { AgentResult, AgentSign, Usage, Verdict } from "../schema/agent.ts";
import type { AttemptId, PhaseKey, Ticket } from "../schema/ids.ts";

export type AgentLimits = {
  /** Seconds without output after which the execution is ended. */
  readonly silence: number;
  readonly turns: number | null;
  readonly usd: number | null;
};

/** One execution of an agent. Paths are relative to `cwd`. */
export type AgentTask = {
  readonly role: "phase" | "reviewer";
  readonly attempt: AttemptId;
  readonly ticket: Ticket;
  readonly iteration: number;
  readonly phase: PhaseKey;
  readonly workflow: string;
  readonly item: string;
  readonly cwd: string;
  readonly persona: string;
  readonly prompt: string;
  readonly access: "read" | "write";
  readonly artifacts: readonly string[];
  /** Nonce in the environment of every process of this execution. */
  readonly nonce: string;
  /** Command that runs the tests, trusted by a user, if there is one. */
  readonly tests: readonly string[] | null;
  readonly limits: AgentLimits;
  /** Conversation to continue, if the backend supports it. */
  readonly session: string | null;
};

export type AgentProgress = {
  readonly type: "progress";
  /** Text to show, possibly empty. */
  readonly text: string;
  /** Usage of the execution so far. Null if nothing new is known. */
  readonly usage: Usage | null;
  readonly sign?: AgentSign;
};

/** End of an execution. A backend yields exactly one, as its last event. */
export type AgentEnd = {
  readonly type: "end";
  readonly usage: Usage | null;
  readonly session: string | null;
} &
  /** `denied`: actions refused to the agent, each as the rule that would allow it. */
  (
    | { readonly how: "result"; readonly result: AgentResult; readonly denied?: readonly string[] }
    | { readonly how: "verdict"; readonly verdict: Verdict }
    /** `again`: a retry may help (crash, interrupted stream). Otherwise isdlc asks the user at once. */
    | { readonly how: "failed"; readonly reason: FailureReason; readonly detail: string; readonly again: boolean }
  );

export type FailureReason =
  | "agent_failed"
  | "no_result"
  | "invalid_result"
  | "bad_exit"
  | "silent"
  | "not_started"
  | "aborted"
  /** The execution reached its time limit. */
  | "timeout"
  /** The execution reached its cost limit. */
  | "over_budget"
  /** The agent called the model repeatedly without progress. */
  | "no_progress"
  /** The model service is busy or unreachable. This may be temporary. */
  | typeof UNAVAILABLE;

export type AgentEvent = AgentProgress | AgentEnd;

/** Features of an agent product. isdlc checks or counts missing ones itself, or does without them. */
export type Capabilities = {
  readonly version: string;
  /** Returns results that match a schema from isdlc. */
  readonly structuredResult: boolean;
  /** Can be prevented from writing. */
  readonly readOnly: boolean;
  /** Reports the cost of an execution. */
  readonly cost: boolean;
  /** Ends after a given number of turns. */
  readonly turns: boolean;
  /** Ends after a given cost. */
  readonly budget: boolean;
  /** Can continue an earlier conversation. */
  readonly resumes: boolean;
};

/** An agent product that isdlc can start. */
export interface AgentBackend {
  readonly name: string;
  /** Digest of the program and its arguments, without the environment. Recorded instead of them. */
  readonly digest: string;
  probe(): Promise<Capabilities | Problem>;
  run(task: AgentTask, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
