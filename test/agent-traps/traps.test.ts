import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runFake as runAcp } from "../agent-acp/run-fake-acp.ts";

/**
 * Unexpected behavior of agents, each with the name of its test. The tests are next to the other tests of the agent:
 * with recorded output or a stand-in, or with the real program if required.
 */
const TRAPS: readonly (readonly [behavior: string, test: string])[] = [
  // Claude Code
  ["npm installs a different version than requested", "reports the version of the program instead of the package"],
  ["exit code 0 with an error flag", "fails unless exit code, error flag and result agree: $name"],
  ["subtype success for a failed call", "treats an error flag with subtype success as a failure"],
  ["success without a structured result", "rejects success without a structured result"],
  ["several results in one run", "uses the last of several results, with the tokens of sub-agents"],
  ["success for a run ended by a hook", "treats a run ended by a hook as failed without a result (%s)"],
  ["hooks of a repository run without a question", "runs no hooks, servers or settings of the repository [S4]"],
  ["ten retries that take minutes", "limits the agent's own retries: their number %s"],
  ["--resume accepts titles", "starts a new conversation for %j, because --resume accepts titles too"],
  // Codex
  ["apps and plugins contact the vendor first", "starts within 4 seconds, without apps and plugins"],
  ["waits for the end of stdin", "sends the whole prompt and closes stdin"],
  ["no validation of the answer", "validates the result itself and sends a strict schema"],
  ["a completed turn without a result", "fails without a result after a completed turn that says %j"],
  ["error items in a successful turn", "reports error items as progress if the turn completes"],
  ["usage of the whole conversation", "counts only this execution's usage in a resumed conversation"],
  ["allowed commands run outside the sandbox", "ignores rules that run a command outside the sandbox"],
  [
    "a trusted folder runs hooks, servers and instructions",
    "ignores hooks, servers and instructions of a trusted folder, in %s [S4]",
  ],
  // Agents of the Agent Client Protocol
  ["an empty turn instead of an error", "treats an empty turn as no result, without asking again"],
  ["a planning mode that writes", "returns a reviewer's verdict and blocks its writes"],
  ["actions without a request", "allows reading git, and denies other commands and writes outside the folder"],
  [
    "no structured result in the protocol",
    "asks again for a missing result, because the protocol has no structured results",
  ],
  ["a missing conversation", "resumes a conversation, or starts a new one if it is missing"],
  ["usage of the last step only", "ignores tokens of agents that count only their last step, but not the cost"],
  ["a stream that ends early", "rejects a stream cut off $name"],
  ["a different model chooses the model", "sends every request to the configured model"],
  ["an HTTP status as exit code", "ignores an HTTP status cut to eight bits as exit code: %i comes as %i"],
  // All agents
  ["a wrapper with a native child", "ends processes left behind by the agent, including native children [R9]"],
];

describe("exit codes of agents", () => {
  test.each([
    [401, 401 % 256],
    [400, 400 % 256],
  ])("ignores an HTTP status cut to eight bits as exit code: %i comes as %i", async (status, code) => {
    const { end } = await runAcp({ plays: [[{ say: "Working.\n" }, { exit: code }]] });
    expect(end).toMatchObject({ how: "failed", reason: "bad_exit", again: true });
    expect(JSON.stringify(end)).not.toContain(String(status));
  });
});

describe("list of traps", () => {
  const names = testNames();

  test.each(TRAPS)("has a test for %s", (_behavior, name) => {
    expect(names).toContain(name);
  });
});

/** Names of the tests of agents. */
function testNames(): string[] {
  const all = join(import.meta.dirname, "..");
  const folders = readdirSync(all).filter((name) => name.startsWith("agent-"));
  return [...folders, "slow/agents", "slow/flows/agent-acp"]
    .flatMap((folder) => readdirSync(join(all, folder)).map((name) => join(all, folder, name)))
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\(\s*"([^"\n]+)",/g)].map(([, name = ""]) => name));
}
