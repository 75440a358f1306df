import { type AgentFault, describeFaults } from "../contracts/agent-backend.ts";
import { type Behaviour, fakeBackend } from "./run-fake-acp.ts";

const failing = (code: number, message: string, details?: string): Behaviour => ({
  errors: { "session/prompt": { code, message, data: details === undefined ? undefined : { details } } },
});

/** Some agents send the status of the model service as the code, others only in the message. */
const behaviours: Readonly<Record<AgentFault, Behaviour>> = {
  "500": failing(-32603, "Internal error", "API Error: 500 broken"),
  "429": failing(429, "Resource has been exhausted"),
  "401": failing(-32000, "Authentication required"),
  overloaded: failing(529, "overloaded"),
  cut: failing(-32603, "Internal error", "read ECONNRESET"),
  "early end": failing(-32603, "Internal error", "stream ended without its last event"),
  reset: failing(-32603, "Internal error", "fetch failed"),
  garbage: failing(-32603, "Internal error", "API returned an empty or malformed response (HTTP 200)"),
  hang: { plays: [[{ hang: true }]] },
  crash: { plays: [[{ kill: "SIGKILL" }]] },
  "exit 0 without a result": { plays: [[{ exit: 0 }]] },
};

const help = { install: "npm install -g fake", signIn: 'Run "fake login".' };

describeFaults("acp", (fault) => fakeBackend(behaviours[fault], "/dev/null", { help }));
