import type { AgentTask } from "../../src/ports/agent-backend.ts";

let count = 0;

/** A plain task in the given folder. */
export function agentTask(cwd: string, more: Partial<AgentTask> = {}): AgentTask {
  count += 1;
  const role = more.role ?? "phase";
  return {
    role,
    attempt: "03-architecture#1",
    ticket: "03-architecture#1@12",
    iteration: 1,
    phase: "03-architecture",
    workflow: "feature",
    item: "docs/requirements/REQ-0001-login",
    cwd,
    persona: "You design software.",
    prompt: "Write the architecture overview.",
    access: role === "phase" ? "write" : "read",
    artifacts: [],
    nonce: `test-${process.pid}-${Date.now()}-${count}`,
    limits: { silence: 60, turns: null, usd: null },
    tests: null,
    session: null,
    ...more,
  };
}
