import { isRepositoryHeld } from "../../adapters/agent-acp/known-acp-agents.ts";
import { streamEvents } from "../../adapters/process/stream-events.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { AgentBackend, AgentEnd } from "../../ports/agent-backend.ts";

/** Why an agent may work behind a wall only; null for one that needs none. */
export const needsWall = (name: string): string | null =>
  isRepositoryHeld(name) ? null : `${name} starts programs that files of the repository name: only in a sandbox`;

/** @throws ProblemError for the first of them that may not work without a wall. */
export function refuseWithoutWall(names: readonly string[], obstacle: string | null): void {
  const name = names.find((one) => needsWall(one) !== null);
  if (name !== undefined) throw new ProblemError(withoutWall(name, obstacle));
}

/** The same agent, which fails before anything is started. */
export function heldBack(backend: AgentBackend): AgentBackend {
  const { name } = backend;
  if (needsWall(name) === null) return backend;
  const detail = `${needsWall(name) ?? ""}, and this run has none`;
  const failed = { how: "failed", reason: "not_started", detail, again: false } as const;
  const end: AgentEnd = { type: "end", usage: null, session: null, ...failed };
  return { ...backend, run: (_task, signal) => streamEvents((emit) => Promise.resolve(emit(end)), signal) };
}

function withoutWall(name: string, obstacle: string | null): Problem {
  const mend = obstacle === null ? 'start the run with "--sandbox on"' : `there is none here: ${obstacle}`;
  const detail = `it starts programs that files of the repository name, so it is used in a sandbox only; ${mend}`;
  return { code: "AGENT_MISSING", agent: name, detail };
}
