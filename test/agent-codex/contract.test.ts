import { createCodexBackend } from "../../src/adapters/agents/codex/backend.ts";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import { type AgentFault, describeBackend, describeFaults } from "../contracts/agent-backend.ts";
import type { Play } from "../agent-claude/run-stand-in.ts";
import { begins, completes, FAKE_CODEX, fails, says } from "./fake-backend.ts";

const playing = (play: Play): AgentBackend => {
  const env = { ...process.env, FAKE_CODEX: JSON.stringify({ plays: [play] }) };
  return createCodexBackend({ program: FAKE_CODEX, env });
};

describeBackend("codex, with a stand-in", (script) => {
  const answer = script.result ?? script.verdict;
  const lines = [
    begins,
    ...script.says.map((text) => says(text)),
    ...(answer === null ? [] : [says(JSON.stringify(answer))]),
    ...(script.hangs ? [] : [completes(script.usage?.input ?? 0, script.usage?.output ?? 0)]),
  ];
  return playing({ lines, writes: script.writes, hang: script.hangs });
});

const failing = (text: string): Play => ({ lines: [begins, fails(text)], exit: 1 });

/** Error texts of the real program. */
const plays: Readonly<Record<AgentFault, Play>> = {
  "500": failing("We’re currently experiencing high demand, which may cause temporary errors."),
  "429": failing("exceeded retry limit, last status: 429 Too Many Requests"),
  "401": failing("unexpected status 401 Unauthorized: no such key, url: http://127.0.0.1/v1/responses"),
  overloaded: failing("unexpected status 529 <unknown status code>: busy, url: http://127.0.0.1/v1/responses"),
  cut: failing("stream disconnected before completion: Transport error: network error: error decoding response body"),
  "early end": failing("stream disconnected before completion: stream closed before response.completed"),
  reset: failing("stream disconnected before completion: error sending request"),
  garbage: failing("stream disconnected before completion: stream closed before response.completed"),
  hang: { lines: [begins], hang: true },
  crash: { lines: [begins], stderr: "boom", signal: "SIGKILL" },
  "exit 0 without a result": { lines: [begins] },
};
describeFaults("codex, with a stand-in", (fault) => playing(plays[fault]));
