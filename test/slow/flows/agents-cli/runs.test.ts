import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/schema/event.ts";
import { parsed } from "../../../support/cli.ts";
import { machineWith, type Machine } from "./installed-agents.ts";

const TITLE = "add a greeting";
const begin = (machine: Machine, ...more: string[]) => machine.script(TITLE, "--json", ...more);

async function opening(machine: Machine): Promise<Extract<RunEvent, { type: "run.started" }>> {
  const [first] = await machine.events();
  if (first?.type !== "run.started") throw new Error("no run was started");
  return first;
}

const PHASE_AGENTS = {
  agent: "claude",
  "agent.implement": "codex:gpt-5",
  "reviewer.implement": "claude:opus",
};
const PHASE_AGENT_STARTS = [
  "phase plan: claude",
  "phase implement: codex:gpt-5",
  "reviewer implement: claude:opus",
  "phase final-review: claude",
];

test.concurrent.each([
  [["qwen", "codex", "claude"], "claude"],
  [["opencode", "codex"], "codex"],
])("selects from installed agents %j and announces %s once", async (installed, taken) => {
  const machine = await machineWith(...installed);
  const started = await begin(machine, "--supervised");
  expect(started.code).toBe(3);
  expect(machine.started()).toEqual([`phase plan: ${taken}`]);
  expect(started.stderr).toContain(`Agent: ${taken} (found on PATH;`);
  const later = await machine.person("continue", "--json");
  expect([later.code, later.stderr]).toEqual([3, expect.not.stringContaining("found on PATH")]);
  expect(new Set(machine.started().map((start) => start.split(": ")[1]))).toEqual(new Set([taken]));
});

test.concurrent("never selects an agent by default that starts repository commands [S4]", async () => {
  const machine = await machineWith("qwen", "opencode", "copilot", "codex-acp");
  expect(parsed(await begin(machine)).problem.code).toBe("NO_AGENT");
  expect(machine.started()).toEqual([]);
});

test.concurrent.each<[string, object, readonly string[]]>([
  ["as the agent", {}, ["--agent", "qwen"]],
  ["as the reviewer", { agent: "claude" }, ["--reviewer", "qwen"]],
  ["for one phase", { agent: "claude", "agent.implement": "qwen" }, []],
  ["for one review", { agent: "claude", "reviewer.implement": "qwen:max" }, []],
])("refuses an agent that starts repository commands without a sandbox, %s [S4, S9]", async (_, settings, args) => {
  const machine = await machineWith("qwen", "claude");
  machine.set(settings);
  for (const more of [{ ISDLC_SANDBOX: "off" }, { ISDLC_SANDBOX: "auto" }]) {
    const refused = await machine.start([TITLE, "--json", ...args], more).ended;
    expect(parsed(refused).problem).toMatchObject({
      code: "AGENT_NEEDS_SANDBOX",
      what: expect.stringMatching(/"qwen" starts programs that files of the repository name.*sandbox/),
    });
  }
  expect([machine.started(), existsSync(join(machine.root, ".isdlc"))]).toEqual([[], false]);
});

test.concurrent("writes nothing without an agent and lists agents to install", async () => {
  const machine = await machineWith();
  const refused = await begin(machine);
  expect([refused.code, parsed(refused).problem]).toMatchObject([1, { code: "NO_AGENT" }]);
  const { fix } = parsed(refused).problem;
  for (const known of ["claude", "codex", "gemini"]) expect(fix).toMatch(new RegExp(`${known}: npm install -g \\S+`));
  expect(fix).toContain("--agent-command");
  expect(existsSync(join(machine.root, ".isdlc"))).toBe(false);
});

test.concurrent("keeps the configured agents of phases and reviews until the run ends", async () => {
  const machine = await machineWith("claude", "codex");
  machine.set(PHASE_AGENTS);
  expect((await begin(machine, "--supervised")).code).toBe(3);
  machine.set({ agent: "codex" });
  await machine.person("continue");
  expect(parsed(await machine.person("continue", "--json")).run.waiting.id).toMatch(/^final-review/);
  expect(machine.started()).toEqual(PHASE_AGENT_STARTS);

  const { agent, reviewer, agents, reviewers } = await opening(machine);
  expect([agent.name, reviewer?.name]).toEqual(["claude", "claude"]);
  expect(agents).toEqual({
    implement: { name: "codex", digest: expect.stringMatching(/^[0-9a-f]{64}$/), model: "gpt-5", version: "9.9.2" },
  });
  expect(reviewers).toMatchObject({ implement: { name: "claude", digest: expect.not.stringContaining(agent.digest) } });
});

test.concurrent("uses the agent of --agent for every phase and a separate reviewer", async () => {
  const machine = await machineWith("claude", "codex");
  machine.set(PHASE_AGENTS);
  await begin(machine, "--agent", "codex:gpt-5-mini", "--reviewer", "claude");
  expect(machine.started()).toEqual([
    "phase plan: codex:gpt-5-mini",
    "phase implement: codex:gpt-5-mini",
    "reviewer implement: claude",
    "phase final-review: codex:gpt-5-mini",
  ]);
  expect(await opening(machine)).not.toHaveProperty("agents");
});

test.concurrent("requires a person to change the agent of an open run", async () => {
  const machine = await machineWith("claude", "codex");
  machine.set(PHASE_AGENTS);
  await begin(machine, "--supervised");
  for (const other of [
    ["--agent", "codex"],
    ["--agent", "claude:opus"],
    ["--reviewer", "codex"],
  ]) {
    const refused = await machine.script("resume", "--json", ...other);
    expect([other, parsed(refused).problem.code]).toEqual([other, "NEEDS_PERSON"]);
  }
  const memory = join(machine.state, readdirSync(machine.state).find((name) => name.startsWith("tree-")) ?? "");
  const kept = readFileSync(memory, "utf8");
  expect((await machine.script("resume", "--json")).code).toBe(3);
  for (const [from, to] of [
    ["gpt-5", "gpt-6"],
    ["opus", "haiku"],
    ['"implement"', '"plan"'],
  ] as const) {
    expect(kept).toContain(from);
    writeFileSync(memory, kept.replace(from, to));
    expect(parsed(await machine.script("resume", "--json")).problem.code).toBe("AGENT_UNKNOWN");
  }
  rmSync(memory);
  expect(machine.started()).toEqual(["phase plan: claude"]);
  expect((await machine.person("resume", "--agent", "codex:gpt-6", "--json")).code).toBe(3);
  await machine.person("continue", "--agent", "codex:gpt-6");
  expect(machine.started().slice(1)).toEqual(["phase implement: codex:gpt-6", "reviewer implement: codex:gpt-6"]);
});

test.concurrent("refuses an agent that needs a sandbox in a run without one [S9]", async () => {
  const machine = await machineWith("claude", "qwen");
  await begin(machine, "--supervised");
  const refused = await machine.person("resume", "--agent", "qwen", "--json");
  expect(parsed(refused).problem).toMatchObject({ code: "AGENT_NEEDS_SANDBOX", agent: "qwen" });
  expect(machine.started()).toEqual(["phase plan: claude"]);
  expect((await machine.status()).waiting.kind).toBe("gate");
});

test.concurrent("refuses a missing agent of one phase before it writes anything", async () => {
  const machine = await machineWith("claude");
  machine.set({ "agent.final-review": "codex" });
  const refused = await begin(machine);
  expect(parsed(refused).problem).toMatchObject({ code: "AGENT_MISSING", agent: "codex" });
  expect(existsSync(join(machine.root, ".isdlc"))).toBe(false);
});

test.concurrent("warns about invalid agent settings, records the warnings and ignores the values", async () => {
  const machine = await machineWith("claude");
  machine.set({ "agent.plan": "cluade", "agent.nonsense": "claude", "max-usd": "many", reviewer: "claude:opus" });
  const started = await begin(machine, "--supervised");
  expect(machine.started()).toEqual(["phase plan: claude"]);
  const { warnings, reviewer } = await opening(machine);
  expect(reviewer?.name).toBe("claude");
  for (const key of ["agent.plan", "agent.nonsense", "max-usd"]) {
    expect(warnings).toContainEqual(expect.stringContaining(key));
    expect(started.stderr).toContain(key);
  }
});
