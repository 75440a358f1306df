import { createCodexBackend } from "../../src/adapters/agent-codex/create-codex-backend.ts";
import { describeBackend } from "../contracts/agent-backend.ts";
import { begins, completes, FAKE_CODEX, says } from "./fake-backend.ts";

describeBackend("codex, with a stand-in", (script) => {
  const answer = script.result ?? script.verdict;
  const lines = [
    begins,
    ...script.says.map((text) => says(text)),
    ...(answer === null ? [] : [says(JSON.stringify(answer))]),
    ...(script.hangs ? [] : [completes(script.usage?.input ?? 0, script.usage?.output ?? 0)]),
  ];
  const plays = [{ lines, writes: script.writes, hang: script.hangs }];
  return createCodexBackend({ program: FAKE_CODEX, env: { ...process.env, FAKE_CODEX: JSON.stringify({ plays }) } });
});
