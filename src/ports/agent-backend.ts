import type { Problem } from "../core/problem.ts";
import type { UNAVAILABLE } from "../core/run.ts";
import type { AgentResult, AgentSign, Usage, Verdict } from "../schema/agent.ts";
import type { AttemptId, PhaseKey, Ticket } from "../schema/ids.ts";

export type AgentLimits = {
  /** Seconds without any output before the execution is ended. */
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
  /** Marks every process of this execution, through its environment. */
  readonly nonce: string;
  /** The command that runs the tests, trusted by a person; null where there is none. */
  readonly tests: readonly string[] | null;
  readonly limits: AgentLimits;
  /** Conversation to go on with, where the backend can. */
  readonly session: string | null;
};

export type AgentProgress = {
  readonly type: "progress";
  /** Empty where there is nothing to show. */
  readonly text: string;
  /** What the execution used so far; null where nothing new is known. */
  readonly usage: Usage | null;
  readonly sign?: AgentSign;
};

/** How an execution ended. A backend yields exactly one, last. */
export type AgentEnd = {
  readonly type: "end";
  readonly usage: Usage | null;
  readonly session: string | null;
} &
  /** `denied`: what it wanted to do and was not allowed to, as the rule that would allow it. */
  (
    | { readonly how: "result"; readonly result: AgentResult; readonly denied?: readonly string[] }
    | { readonly how: "verdict"; readonly verdict: Verdict }
    /** `again`: a second try may help (crash, cut stream); otherwise a person is asked at once. */
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
  /** It took longer than the limit. */
  | "timeout"
  /** It kept to the limit on money that it was given. */
  | "over_budget"
  /** It asked the model again and again, and nothing came of it. */
  | "no_progress"
  /** The model service is busy or out of reach; that may pass. */
  | typeof UNAVAILABLE;

export type AgentEvent = AgentProgress | AgentEnd;

/** What a product can do by itself; what it cannot is checked, counted or done without by us. */
export type Capabilities = {
  readonly version: string;
  /** Holds its result to a form we give. */
  readonly structuredResult: boolean;
  /** Can be kept from writing. */
  readonly readOnly: boolean;
  /** Tells what an execution cost. */
  readonly cost: boolean;
  /** Ends after so many turns when told. */
  readonly turns: boolean;
  /** Ends when so much money is spent. */
  readonly budget: boolean;
  /** Can go on with an earlier conversation. */
  readonly resumes: boolean;
};

/** An agent product we can start. */
export interface AgentBackend {
  readonly name: string;
  /** Covers the program and its arguments, never the environment; recorded instead of them. */
  readonly digest: string;
  probe(): Promise<Capabilities | Problem>;
  run(task: AgentTask, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
