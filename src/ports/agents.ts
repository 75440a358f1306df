import type { AgentChoice } from "../schema/event.ts";
import type { PhaseKey } from "../schema/ids.ts";
import type { RunAgents } from "../schema/run-agents.ts";

/** As the journal holds them: names, and digests of how they are started. */
export type RecordedAgents = {
  readonly agent: AgentChoice;
  readonly reviewer: AgentChoice;
  readonly agents?: Record<PhaseKey, AgentChoice>;
  readonly reviewers?: Record<PhaseKey, AgentChoice>;
};

/** The agents there are on this machine. */
export interface Agents {
  /** `versions`: what each said of itself, where it was asked. */
  record(agents: RunAgents, versions?: ReadonlyMap<string, string>): RecordedAgents;
  /** The first of them that is used in a sandbox only; null when none is. */
  needingSandbox(agents: RunAgents): string | null;
}
