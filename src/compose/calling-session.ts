import { OWN_MARKERS, withoutSessionMarks } from "../adapters/caller/agent-markers.ts";
import { findSession } from "../adapters/caller/session-host.ts";
import { findIdentity, systemProcessTable } from "../adapters/process/process-table.ts";
import { ProblemError } from "../core/problem.ts";
import type { SessionWorker } from "../engine/session-work.ts";

/** The agent session that this process belongs to. */
export const callingSession = (env: NodeJS.ProcessEnv, named?: string): SessionWorker =>
  findSession({ env, table: systemProcessTable(), pid: process.pid }, named);

/**
 * The thread of Codex that calls this MCP server. Codex runs all threads of a user in one daemon, which outlives them, and
 * starts a server for each.
 */
export function callingThread(env: NodeJS.ProcessEnv, thread: string): SessionWorker {
  const session = callingSession(env, thread);
  const server = findIdentity(systemProcessTable(), process.pid);
  return { ...session, host: "codex", ...(server === null ? {} : { server }) };
}

/**
 * The environment for what a session sets going: reviewers begin sessions of their own.
 * @throws ProblemError ANSWERED_BY_AGENT for an agent that a run started itself: it has no part in any.
 */
export function sessionEnvironment(env: NodeJS.ProcessEnv, verb: string): NodeJS.ProcessEnv {
  const marker = OWN_MARKERS.find((name) => (env[name] ?? "") !== "");
  if (marker !== undefined) throw new ProblemError({ code: "ANSWERED_BY_AGENT", verb, evidence: `${marker} is set` });
  return withoutSessionMarks(env);
}
