import { isRepositoryHeld } from "../adapters/agents/acp/known-agents.ts";
import { streamEvents } from "../adapters/process/stream-events.ts";
import { ProblemError } from "../core/problem.ts";
import type { AgentBackend, AgentEnd } from "../ports/agent-backend.ts";

/** Returns why an agent may only run in a sandbox. Null if it may run without. */
export const needsSandbox = (name: string): string | null =>
  isRepositoryHeld(name) ? null : `${name} starts programs that files of the repository name: only in a sandbox`;

/** @throws ProblemError AGENT_NEEDS_SANDBOX for the first agent that may not run without a sandbox. */
export function refuseWithoutSandbox(names: readonly string[], fix: string): void {
  const agent = names.find((one) => needsSandbox(one) !== null);
  if (agent !== undefined) throw new ProblemError({ code: "AGENT_NEEDS_SANDBOX", agent, fix });
}

/** Makes runs of an agent that needs a sandbox fail before anything is started. */
export function heldBack(backend: AgentBackend): AgentBackend {
  const { name } = backend;
  if (needsSandbox(name) === null) return backend;
  const detail = `${needsSandbox(name) ?? ""}, and this run has none`;
  const failed = { how: "failed", reason: "not_started", detail, again: false } as const;
  const end: AgentEnd = { type: "end", usage: null, session: null, ...failed };
  return { ...backend, run: (_task, signal) => streamEvents((emit) => Promise.resolve(emit(end)), signal) };
}
