import { createClaudeBackend } from "../../src/adapters/agents/claude/backend.ts";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import { type AgentFault, describeBackend, describeFaults } from "../contracts/agent-backend.ts";
import { FAKE_CLAUDE, resultLine } from "./fake-backend.ts";

type Play = Readonly<Record<string, unknown>>;

const playing = (play: Play): AgentBackend => {
  const env = { ...process.env, FAKE_CLAUDE: JSON.stringify({ plays: [play] }) };
  return createClaudeBackend({ program: FAKE_CLAUDE, env });
};

describeBackend("claude, with a stand-in", ({ says, writes, hangs, result, verdict, usage }) => {
  const answer = result ?? verdict;
  const spoken = says.map((text) =>
    JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text }] } }),
  );
  const tokens = { input_tokens: usage?.input ?? 0, output_tokens: usage?.output ?? 0 };
  const end = resultLine({ usage: tokens, ...(answer === null ? {} : { structured_output: answer }) });
  return playing({ lines: hangs ? spoken : [...spoken, end], writes, hang: hangs });
});

const failing = (text: string, status: number | null = null): Play => ({
  lines: [resultLine({ is_error: true, api_error_status: status, result: text })],
  exit: 1,
});

/** Error texts of the real program. */
const plays: Readonly<Record<AgentFault, Play>> = {
  "500": failing("API Error: 500 broken. This is a server-side issue, usually temporary", 500),
  "429": failing("API Error: Request rejected (429) · slow down", 429),
  "401": failing("Failed to authenticate. API Error: 401 no such key", 401),
  overloaded: failing("API Error: Repeated 529 Overloaded errors. The API is at capacity"),
  cut: failing("API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again."),
  "early end": failing(
    "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.",
  ),
  reset: failing("API Error: Unable to connect to API (ECONNRESET)"),
  garbage: failing("API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy"),
  hang: { hang: true },
  crash: { stderr: "boom", signal: "SIGKILL" },
  "exit 0 without a result": {},
};
describeFaults("claude, with a stand-in", (fault) => playing(plays[fault]));
