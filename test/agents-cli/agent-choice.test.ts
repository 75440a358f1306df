import { describe, expect, test } from "vitest";
import { ACP_AGENT_NAMES } from "../../src/adapters/agents/acp/known-agents.ts";
import type { UserSettings } from "../../src/schema/user-settings.ts";
import {
  AGENT_NAMES,
  choiceText,
  DETECTED_AGENTS,
  readChoice,
  shippedPhases,
} from "../../src/app/agents/agent-choice.ts";
import { createBackend, findAgentProgram } from "../../src/compose/create-backend.ts";
import { chooseAgents, renameAgents } from "../../src/app/agents/choose-agents.ts";
import { loadWorkflow, workflowNames } from "../../src/adapters/project-files/definitions.ts";
import { askedAgents } from "../../src/surfaces/cli/grammar/agents.ts";
import { detectAgent, KNOWN_AGENTS, noAgent } from "../../src/compose/known-agents.ts";
import type { RunAgents } from "../../src/schema/run-agents.ts";
import type { Values } from "../../src/surfaces/cli/invocation/verb.ts";

const PHASES = ["plan", "implement", "final-review"];
const known = shippedPhases({ names: workflowNames, load: loadWorkflow });
const among = (env: NodeJS.ProcessEnv = { PATH: "/nowhere" }) => ({
  agents: { detect: () => detectAgent(env), noAgent },
  phases: PHASES,
  known,
});

describe("choice of an agent", () => {
  test.each([
    ["claude", { name: "claude", argv: null }],
    ["claude:opus", { name: "claude", argv: null, model: "opus" }],
    ["codex:gpt-5.1_mini", { name: "codex", argv: null, model: "gpt-5.1_mini" }],
    ["opencode:openrouter/a/b:free", { name: "opencode", argv: null, model: "openrouter/a/b:free" }],
  ])("is read and written unchanged: %s", (said, agent) => {
    const read = readChoice(said);
    expect(read).toEqual({ ok: true, agent });
    expect(read.ok && choiceText(read.agent)).toBe(said);
  });

  test.each([
    ["", /there is no agent ""; valid: claude, codex/],
    ["cluade", /there is no agent "cluade"/],
    ["constructor", /there is no agent/],
    ["command", /there is no agent/],
    ["replay", /there is no agent/],
    ["claude:", /invalid model name/],
    ["claude:--dangerously-skip-permissions", /invalid model name/],
    ["claude:a b", /invalid model name/],
    ["claude:a\nb", /invalid model name/],
    ["claude:opus\n", /invalid model name/],
    [`claude:${"x".repeat(129)}`, /invalid model name/],
    ["claude-acp:opus", /does not take a model here; these do: claude, codex, gemini, copilot, qwen, opencode/],
    ["acp:x", /does not take a model/],
  ])("is rejected: %j", (said, detail) => {
    expect(readChoice(said)).toEqual({ ok: false, detail: expect.stringMatching(detail) as string });
  });

  test("exists for each agent that can be started by name", () => {
    expect([...KNOWN_AGENTS, "acp", "session"].toSorted()).toEqual([...AGENT_NAMES].toSorted());
    expect(ACP_AGENT_NAMES.length).toBeGreaterThan(3);
    expect(KNOWN_AGENTS).toEqual(expect.arrayContaining([...DETECTED_AGENTS]));
  });
});

describe("model of an agent", () => {
  const started = (said: string) => {
    const read = readChoice(said);
    if (!read.ok) throw new Error(read.detail);
    return read.agent;
  };

  test.each([
    ["claude:opus", ["claude", "--model", "opus"]],
    ["codex:gpt-5", ["codex", "-m", "gpt-5"]],
    ["gemini:pro", ["gemini", "--acp", "-m", "pro"]],
    ["copilot:x", ["copilot", "--acp", "--model", "x"]],
    ["qwen:x", ["qwen", "--acp", "-m", "x"]],
    ["opencode:a/b", ["opencode", "acp"]],
  ])("is passed as an argument if the program has one: %s", (said, argv) => {
    expect(findAgentProgram(started(said), {})).toEqual(argv);
  });

  test.each(["claude", "codex", "gemini", "opencode", "copilot", "qwen"])("is part of the digest of %s", (name) => {
    const digests = [name, `${name}:one`, `${name}:two`].map((said) => createBackend(started(said), {}).digest);
    expect(new Set(digests).size).toBe(3);
  });

  test("causes a problem if the settings of opencode are invalid JSON", () => {
    expect(() => createBackend(started("opencode:a/b"), { OPENCODE_CONFIG_CONTENT: "[" })).toThrow(/not a JSON object/);
  });
});

const shown = ({ phase, reviewer, phases, reviewers }: RunAgents) => ({
  phase: choiceText(phase),
  reviewer: choiceText(reviewer),
  ...Object.fromEntries(Object.entries(phases ?? {}).map(([key, agent]) => [key, choiceText(agent)])),
  ...Object.fromEntries(Object.entries(reviewers ?? {}).map(([key, agent]) => [`review of ${key}`, choiceText(agent)])),
});

type Row = readonly [what: string, values: Values, settings: UserSettings, expected: Readonly<Record<string, string>>];

const rows: readonly Row[] = [
  ["a flag", { agent: "codex" }, {}, { phase: "codex", reviewer: "codex" }],
  ["a setting", {}, { agent: "gemini:pro" }, { phase: "gemini:pro", reviewer: "gemini:pro" }],
  ["a flag over a setting", { agent: "codex" }, { agent: "gemini" }, { phase: "codex", reviewer: "codex" }],
  [
    "a command before a name",
    {},
    { agent: "codex", "agent-command": "a b" },
    { phase: "command", reviewer: "command" },
  ],
  ["a command of an ACP agent", { agent: "acp", "agent-command": "a b" }, {}, { phase: "acp", reviewer: "acp" }],
  ["a separate reviewer", { agent: "codex" }, { reviewer: "claude" }, { phase: "codex", reviewer: "claude" }],
  [
    "a separate agent for a phase and its review",
    {},
    { agent: "codex", "agent.plan": "claude:opus" },
    { phase: "codex", reviewer: "codex", plan: "claude:opus", "review of plan": "claude:opus" },
  ],
  [
    "a separate agent for a phase with the common reviewer",
    {},
    { agent: "codex", reviewer: "gemini", "agent.plan": "claude" },
    { phase: "codex", reviewer: "gemini", plan: "claude" },
  ],
  [
    "a separate reviewer for a phase",
    {},
    { agent: "codex", reviewer: "gemini", "reviewer.plan": "claude" },
    { phase: "codex", reviewer: "gemini", "review of plan": "claude" },
  ],
  [
    "a flag for all phases, but not for reviews",
    { agent: "qwen" },
    { "agent.plan": "claude", "reviewer.implement": "codex" },
    { phase: "qwen", reviewer: "qwen", "review of implement": "codex" },
  ],
  [
    "a flag for all reviews",
    { reviewer: "qwen" },
    { agent: "codex", "agent.plan": "claude", "reviewer.plan": "codex" },
    { phase: "codex", reviewer: "qwen", plan: "claude" },
  ],
  [
    "no agent for a phase of another workflow",
    {},
    { agent: "codex", "agent.04-design": "claude" },
    { phase: "codex", reviewer: "codex" },
  ],
];

describe("agents of a new run", () => {
  test.for(rows)("follow %s", ([, values, settings, expected]) => {
    const { agents, detected, warnings } = chooseAgents(askedAgents(values), settings, among());
    expect(shown(agents)).toEqual(expected);
    expect([detected, warnings]).toEqual([null, []]);
  });

  test.each([
    [{ agent: "cluade" }, /the setting agent is not used: there is no agent "cluade"/],
    [{ reviewer: "claude:-x" }, /the setting reviewer is not used: invalid model name "-x"/],
    [{ "agent.nonsense": "claude" }, /agent.nonsense is not used: no workflow has the phase "nonsense"/],
    [{ "reviewer.plan": "acp" }, /reviewer.plan is not used: acp needs the command/],
    [{ "reviewer-command": "'x" }, /the setting reviewer is not used: a ' is not closed/],
  ])("ignore the invalid setting %j with a warning", (settings, warning) => {
    const env = { PATH: "/nowhere", ISDLC_CODEX: process.execPath };
    const { agents, detected, warnings } = chooseAgents(askedAgents({}), settings, among(env));
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect([detected, shown(agents)]).toEqual(["codex", { phase: "codex", reviewer: "codex" }]);
  });

  test.each([
    [{ agent: "claude:" }, /The agent cannot be used/],
    [{ agent: "acp" }, /acp needs the command/],
    [{ reviewer: "claude-acp:x" }, /The reviewer cannot be used/],
    [{ "agent-command": "'x" }, /is not closed/],
  ])("reject %j as wrong usage", (values, detail) => {
    const choose = () => chooseAgents(askedAgents(values), { agent: "claude" }, among());
    expect(choose).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ code: "USAGE", detail: expect.stringMatching(detail) }),
      }),
    );
  });
});

describe("changed agents of an open run", () => {
  const agent = (name: string) => ({ name, argv: null });
  const before: RunAgents = {
    phase: agent("claude"),
    reviewer: agent("claude"),
    phases: { plan: agent("codex") },
    reviewers: { plan: agent("codex"), implement: agent("gemini") },
  };

  test.for<readonly [string, Values, RunAgents | null, object | null]>([
    [
      "keep separate reviewers if the agent changes",
      { agent: "qwen" },
      before,
      { phase: "qwen", reviewer: "qwen", "review of implement": "gemini" },
    ],
    ["change only the reviewer", { reviewer: "qwen" }, before, { phase: "claude", reviewer: "qwen", plan: "codex" }],
    [
      "keep a common reviewer",
      { agent: "qwen" },
      { phase: agent("claude"), reviewer: agent("codex") },
      { phase: "qwen", reviewer: "codex" },
    ],
    ["replace everything if none were recorded", { agent: "qwen" }, null, { phase: "qwen", reviewer: "qwen" }],
    ["are undecided if none were recorded and only a reviewer is given", { reviewer: "qwen" }, null, null],
  ])("%s", ([, values, remembered, expected]) => {
    const renamed = renameAgents(askedAgents(values), remembered);
    expect(renamed && shown(renamed)).toEqual(expected);
  });
});
