import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runFake as runAcp } from "../agent-acp/run-fake-acp.ts";

/**
 * What agents do that one would not expect, each with the beginning of the one test that shows it. The tests are where
 * the agent is tested: with recorded output or a stand-in, and with the real program where only that can tell.
 */
const TRAPS: readonly string[] = [
  // Claude Code
  "npm may install another version than one thinks",
  "success is exit 0 and no error flag",
  "a failed call is of subtype success",
  "success may come without a structured result",
  "one run may print several results",
  "a run that a hook ended is told as success",
  "hooks fail open, and those of a repository run unasked",
  "ten retries of its own take minutes",
  "--resume takes titles too",
  // Codex
  "apps and plugins ask the vendor first",
  "an open stdin is waited for",
  "its answer is not held against the schema",
  "a completed turn and exit 0 may come without a result",
  "an error item is no failure",
  "usage counts from the first turn of a conversation",
  "a rule that allows a command runs it outside the sandbox",
  "a trusted folder runs its hooks, servers and instructions",
  // agents of the Agent Client Protocol
  "a failed call may be told as the end of a turn",
  "a mode for planning may still write",
  "some agents ask about nothing by themselves",
  "the protocol knows no structured result",
  "a conversation may be offered for later and not be found",
  "some agents count the tokens of their last step only",
  "a stream that ends early is taken for a whole answer",
  "without a model it asks another one which to take",
  "an exit code may be a status of HTTP cut to eight bits",
  // all of them
  "ending a wrapper leaves its native child",
];

describe("agents", () => {
  test.each([
    [401, 401 % 256],
    [400, 400 % 256],
  ])(
    "trap: an exit code may be a status of HTTP cut to eight bits: %i comes as %i and is read as neither",
    async (status, code) => {
      const { end } = await runAcp({ plays: [[{ say: "Working.\n" }, { exit: code }]] });
      expect(end).toMatchObject({ how: "failed", reason: "bad_exit", again: true });
      expect(JSON.stringify(end)).not.toContain(String(status));
    },
  );
});

describe("the list of traps", () => {
  const titles = trapTitles();

  test("every trap has exactly one test", () => {
    const tests = TRAPS.map((trap) => [trap, titles.filter((title) => title.startsWith(trap)).length]);
    expect(tests.filter(([, count]) => count !== 1)).toEqual([]);
    expect(titles.length).toBeGreaterThan(20);
  });

  test("every test of a trap is in the list", () => {
    expect(titles.filter((title) => !TRAPS.some((trap) => title.startsWith(trap)))).toEqual([]);
  });
});

/** What follows `trap: ` in the names of tests. */
function trapTitles(): string[] {
  const all = join(import.meta.dirname, "..");
  const folders = readdirSync(all).filter((name) => name.startsWith("agent-"));
  return [...folders, "slow/agents", "slow/flows/agent-acp"]
    .flatMap((folder) => readdirSync(join(all, folder)).map((name) => join(all, folder, name)))
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\(\s*"trap: ([^"]+)"/g)].map(([, title = ""]) => title),
    );
}
