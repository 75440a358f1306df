import { createHash } from "node:crypto";
import { NO_AGENT_NAME } from "../../../core/adoption.ts";
import type { AgentBackend, AgentEnd } from "../../../ports/agent-backend.ts";
import { streamEvents } from "../../process/stream-events.ts";

/** Creates the backend of a run without an agent. A redo then needs another one. */
export function createNoAgentBackend(): AgentBackend {
  return {
    name: NO_AGENT_NAME,
    digest: createHash("sha256").update(NO_AGENT_NAME).digest("hex"),
    probe: () => Promise.resolve({ version: NO_AGENT_NAME, ...ABLE }),
    run: (_task, signal) => streamEvents((emit) => Promise.resolve(emit(NOT_STARTED)), signal),
  };
}

const ABLE = { structuredResult: true, readOnly: true, cost: true, turns: true, budget: true, resumes: false };

const NOT_STARTED: AgentEnd = {
  type: "end",
  how: "failed",
  reason: "not_started",
  detail: "this run has no agent; name one: isdlc retry --agent <name>",
  again: false,
  usage: null,
  session: null,
};
