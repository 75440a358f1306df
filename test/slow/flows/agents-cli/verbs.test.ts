import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completionScript } from "../../../../src/surfaces/cli/grammar/completion.ts";
import { parsed } from "../../../support/cli.ts";
import { machineWith } from "./installed-agents.ts";

test.concurrent("lists each agent with its version, abilities and configured uses", async () => {
  const machine = await machineWith("codex", "claude");
  machine.set({ agent: "codex", "agent.04-design": "claude:opus", "reviewer.06-implementation": "codex:gpt-5" });
  const { agents, uses } = parsed(await machine.script("agents", "--json"));
  const find = (name: string) => agents.find((agent: { name: string }) => agent.name === name);
  expect(agents).toHaveLength(8);
  expect(find("claude")).toMatchObject({ path: join(machine.bin, "claude"), version: "9.9.1", trouble: null });
  expect(find("codex").abilities).toEqual([
    { ability: "result", can: true, reason: null },
    { ability: "read-only", can: true, reason: null },
    { ability: "cost", can: false, reason: expect.stringContaining("codex does not report its cost") },
    { ability: "turns", can: false, reason: expect.stringContaining("no limit on turns") },
    { ability: "budget", can: false, reason: "codex has no limit on money: the budget counts after each execution" },
    { ability: "resume", can: true, reason: null },
  ]);
  expect(find("gemini")).toMatchObject({ path: null, version: null, install: "npm install -g @google/gemini-cli" });
  expect(uses).toEqual({
    default: { agent: "codex", by: "setting" },
    reviewer: { agent: "codex", by: "same" },
    phases: { "04-design": "claude:opus" },
    reviewers: { "06-implementation": "codex:gpt-5" },
  });
  const { stdout } = await machine.script("agents");
  expect(stdout).toMatch(/^gemini +not found\. npm install -g @google\/gemini-cli\n +Run "gemini" once/m);
  expect(stdout).toMatch(/^claude +9\.9\.1 .*\n +has: result, read-only, cost, turns, budget, resume$/m);
  expect(stdout).toMatch(/phase 04-design +claude:opus\n/);
  expect(machine.started()).toEqual([]);
});

test.concurrent("reports the same agents in agents, init and doctor", async () => {
  const [none, one] = await Promise.all([machineWith(), machineWith("gemini", "qwen")]);
  expect(parsed(await none.script("agents", "--json")).uses).toMatchObject({ default: null, reviewer: null });
  expect((await none.script("init")).stdout).toContain("Still missing:\n  - an agent, one of:\n    npm install -g");
  expect((await none.script("doctor")).stdout).toContain("agents: No agent found.");
  expect(parsed(await one.script("agents", "--json")).uses.default).toEqual({ agent: "gemini", by: "detection" });
  expect(parsed(await one.script("init", "--json")).agents).toEqual([
    { name: "gemini", version: "9.9.3" },
    { name: "qwen", version: "9.9.3" },
  ]);
  expect((await one.script("doctor")).stdout).toContain("qwen: 9.9.3");
});

test.concurrent("lists agents that need a sandbox, with the reason [S9]", async () => {
  const machine = await machineWith("qwen", "gemini");
  const { agents } = parsed(await machine.script("agents", "--json"));
  const rowOf = (name: string) =>
    agents
      .find((agent: { name: string }) => agent.name === name)
      .abilities.find(({ ability }: { ability: string }) => ability === "without sandbox");
  const reason = "qwen starts programs that files of the repository name: only in a sandbox";
  expect(rowOf("qwen")).toEqual({ ability: "without sandbox", can: false, reason });
  expect(rowOf("gemini")).toBeUndefined();
  expect((await machine.script("agents")).stdout.split("\n")).toContain(`${" ".repeat(12)}${reason}`);
});

test.concurrent.each([
  ["agent", "claude:opus"],
  ["agent.04-design", "claude:opus"],
  ["agent.plan", "codex"],
  ["reviewer.06-implementation", "codex:gpt-5"],
  ["max-usd", "2.5"],
  ["max-minutes", "30"],
  ["session", "shared"],
])("sets %s to %s, prints it and clears it in config", async (key, value) => {
  const machine = await machineWith();
  const set = parsed(await machine.person("config", "set", key, value, "--json")).settings;
  expect(String(set[key])).toBe(value);
  expect(parsed(await machine.script("config", "--json")).settings).toHaveProperty([key], set[key]);
  expect(parsed(await machine.person("config", "set", key, "", "--json")).settings).toEqual({ [key]: null });
  expect(parsed(await machine.script("config", "get", key, "--json")).settings).toEqual({ [key]: null });
});

test.concurrent("rejects unknown agents, phases and amounts, and lists the valid ones", async () => {
  const machine = await machineWith();
  const problem = async (key: string, value: string) =>
    parsed(await machine.person("config", "set", key, value, "--json")).problem;
  expect(await problem("agent", "cluade")).toMatchObject({
    code: "USAGE",
    what: expect.stringContaining("valid: claude, codex"),
  });
  expect(await problem("agent.04-design", "claude:-x")).toMatchObject({
    code: "USAGE",
    what: expect.stringContaining("invalid model name"),
  });
  expect(await problem("agent.99-nothing", "claude")).toMatchObject({
    code: "SETTING_UNKNOWN",
    valid: expect.arrayContaining(["agent.04-design", "agent.plan", "agent.00-quick-scan"]),
  });
  expect(await problem("reviewer.constructor", "claude")).toMatchObject({ code: "SETTING_UNKNOWN" });
  for (const [key, value] of [
    ["max-usd", "-1"],
    ["max-tokens", "1.5"],
    ["max-turns", "0"],
    ["max-minutes", "1e9"],
  ] as const)
    expect(await problem(key, value)).toMatchObject({ code: "USAGE" });
  expect(parsed(await machine.script("config", "set", "agent", "claude", "--json")).problem.code).toBe("NEEDS_PERSON");
});

test.concurrent("accepts every supported agent with a model as an option, and no other", async () => {
  const machine = await machineWith();
  const code = async (...args: string[]) => parsed(await machine.script("tidy up", "--json", ...args)).problem.code;
  expect(await code("--agent", "cluade")).toBe("USAGE");
  expect(await code("--agent", "cluade:opus")).toBe("USAGE");
  expect(await code("--agent", "claude:-p")).toBe("USAGE");
  expect(await code("--mode", "full:x")).toBe("USAGE");
  expect(await code("--agent", "claude:opus")).toBe("AGENT_MISSING");
});

test("completes the names of agents", () => {
  const script = completionScript("bash");
  const asked = (words: string[]) => {
    const lines = [
      script,
      `COMP_WORDS=(${words.join(" ")})`,
      `COMP_CWORD=${words.length - 1}`,
      "_isdlc",
      'echo "${COMPREPLY[@]}"',
    ];
    return execFileSync("bash", ["--norc", "-c", lines.join("\n")], { encoding: "utf8" }).trim();
  };
  expect(asked(["isdlc", "fix", "--agent", "co"])).toBe("codex copilot codex-acp");
  expect(asked(["isdlc", "fix", "--sess"])).toBe("--session");
  expect(asked(["isdlc", "agen"])).toBe("agents");
  expect(completionScript("fish")).toMatch(/from fix' -l reviewer -r -a 'claude codex [a-z -]+' -d/);
});
