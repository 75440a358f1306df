import type { Capabilities } from "./agent-backend.ts";
import type { Problem } from "../core/problem.ts";
import type { AgentChoice } from "../schema/event.ts";
import type { TestCommand } from "../schema/facts.ts";
import type { PhaseKey } from "../schema/ids.ts";
import type { RememberedAgent, RunAgents } from "../schema/run-agents.ts";

/** As the journal holds them: names, and digests of how they are started. */
export type RecordedAgents = {
  readonly agent: AgentChoice;
  readonly reviewer: AgentChoice;
  readonly agents?: Record<PhaseKey, AgentChoice>;
  readonly reviewers?: Record<PhaseKey, AgentChoice>;
};

export type SandboxPlan = {
  readonly sandbox: boolean;
  /** To be shown where agents go without one unasked. */
  readonly note: string | null;
};

/** What in a run starts programs. */
export type ProgramUsers = {
  readonly agents: RunAgents;
  readonly sandbox: boolean;
  readonly tests: TestCommand | null;
};

/** The agents there are on this machine. */
export interface Agents {
  /** The first installed one of those that are taken unasked; null when there is none. */
  detect(): string | null;
  /** How to get one, for who has none. */
  noAgent(): Problem;
  probe(agent: RememberedAgent): Promise<Capabilities | Problem>;
  /** `versions`: what each said of itself, where it was asked. */
  record(agents: RunAgents, versions?: ReadonlyMap<string, string>): RecordedAgents;
  /** Why an agent may work in a sandbox only; null for one that needs none. */
  needsSandbox(name: string): string | null;
  /**
   * Whether the agents of a new run are sandboxed: as asked, else as this person set, else where it can be done.
   * @throws ProblemError SANDBOX_UNAVAILABLE, AGENT_NEEDS_SANDBOX
   */
  planSandbox(agents: RunAgents, wished: string | undefined): SandboxPlan;
  /**
   * Where the programs really are that a run works with, by name.
   * @throws ProblemError PROGRAM_UNSAFE
   */
  programs(users: ProgramUsers): Record<string, string>;
}
