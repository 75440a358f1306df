import { createHash } from "node:crypto";
import { SESSION_AGENT } from "../../../core/next.ts";
import type { AgentBackend, AgentEnd } from "../../../ports/agent-backend.ts";
import { streamEvents } from "../../process/stream-events.ts";

/** Creates the backend for the user's session, which takes its work with `isdlc begin`. It starts nothing. */
export function createSessionBackend(): AgentBackend {
  return {
    name: SESSION_AGENT,
    digest: createHash("sha256").update(SESSION_AGENT).digest("hex"),
    probe: () => Promise.resolve({ version: "your own session", ...ABLE }),
    run: (_task, signal) => streamEvents((emit) => Promise.resolve(emit(NOT_STARTED)), signal),
  };
}

const ABLE = { structuredResult: true, readOnly: false, cost: false, turns: false, budget: false, resumes: true };

const NOT_STARTED: AgentEnd = {
  type: "end",
  how: "failed",
  reason: "not_started",
  detail: "a session cannot be started from here; name another agent with --agent",
  again: false,
  usage: null,
  session: null,
};
