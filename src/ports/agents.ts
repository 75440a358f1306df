import type { Capabilities } from "./agent-backend.ts";
import type { Problem } from "../core/problem.ts";
import type { AgentChoice } from "../schema/event.ts";
import type { TestCommand } from "../schema/facts.ts";
import type { PhaseKey } from "../schema/ids.ts";
import type { RememberedAgent, RunAgents, SandboxNetwork } from "../schema/run-agents.ts";

/** Agents in the format of the journal: names, and digests of how they are started. */
export type RecordedAgents = {
  readonly agent: AgentChoice;
  readonly reviewer: AgentChoice;
  readonly agents?: Record<PhaseKey, AgentChoice>;
  readonly reviewers?: Record<PhaseKey, AgentChoice>;
};

export type SandboxPlan = {
  readonly sandbox: boolean;
  /** Null without a sandbox. */
  readonly network: SandboxNetwork | null;
  /** Note to show if agents run without a sandbox by default. */
  readonly note: string | null;
};

/** Parts of a run that start programs. */
export type ProgramUsers = {
  readonly agents: RunAgents;
  readonly sandbox: boolean;
  readonly tests: TestCommand | null;
};

/** The agents on this machine. */
export interface Agents {
  /** Returns the first installed agent among those used by default. */
  detect(): string | null;
  /** Returns the problem that explains how to install an agent. */
  noAgent(): Problem;
  probe(agent: RememberedAgent): Promise<Capabilities | Problem>;
  /** Converts agents to the journal's format. `versions`: versions reported by agents that were probed. */
  record(agents: RunAgents, versions?: ReadonlyMap<string, string>): RecordedAgents;
  /** Returns why an agent may only run in a sandbox. Null if it may run without. */
  needsSandbox(name: string): string | null;
  /**
   * Decides if the agents of a new run are sandboxed: as requested, else by the user's setting, else if a sandbox is
   * available.
   * @throws ProblemError SANDBOX_UNAVAILABLE, AGENT_NEEDS_SANDBOX
   */
  planSandbox(agents: RunAgents, wished: string | undefined): SandboxPlan;
  /**
   * Returns the real paths of a run's programs, by name.
   * @throws ProblemError PROGRAM_UNSAFE
   */
  programs(users: ProgramUsers): Record<string, string>;
}

/**
 * Activity of the agent sessions that work in this tree. For convenience only, not evidence: a session could write
 * these files itself.
 */
export interface Sessions {
  /** Records that the session starts to work on a phase. */
  begin(id: string): void;
  /** Returns the milliseconds since the last activity of the session or its hooks. Null without any activity. */
  silentFor(id: string): number | null;
  /** Returns true if the session's hooks ran after it started its phase. */
  isGuarded(id: string): boolean;
}
