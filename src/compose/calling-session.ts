import { OWN_MARKERS, withoutSessionMarks } from "../adapters/identity/agent-markers.ts";
import { findSession } from "../adapters/identity/session-host.ts";
import { findIdentity, systemProcessTable } from "../adapters/process/process-table.ts";
import { ProblemError } from "../core/problem.ts";
import type { SessionWorker } from "../engine/loop/session-work.ts";

/** Returns the agent session to which this process belongs. */
export const callingSession = (env: NodeJS.ProcessEnv, named?: string): SessionWorker =>
  findSession({ env, table: systemProcessTable(), pid: process.pid }, named);

/**
 * Returns the Codex thread that calls this MCP server. Codex runs all threads of a user in one daemon, which outlives
 * them, and starts one server per thread.
 */
export function callingThread(env: NodeJS.ProcessEnv, thread: string): SessionWorker {
  const session = callingSession(env, thread);
  const server = findIdentity(systemProcessTable(), process.pid);
  return { ...session, host: "codex", ...(server === null ? {} : { server }) };
}

/**
 * Returns the environment for processes started by a session, without session markers: reviewers start separate
 * sessions.
 * @throws ProblemError ANSWERED_BY_AGENT for an agent that was started by a run: it must not take part in any run.
 */
export function sessionEnvironment(env: NodeJS.ProcessEnv, verb: string): NodeJS.ProcessEnv {
  const marker = OWN_MARKERS.find((name) => (env[name] ?? "") !== "");
  if (marker !== undefined) throw new ProblemError({ code: "ANSWERED_BY_AGENT", verb, evidence: `${marker} is set` });
  return withoutSessionMarks(env);
}
