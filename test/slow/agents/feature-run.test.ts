import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { withClaude } from "../../agent-claude/with-claude.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import {
  type AgentBinary,
  agentBinary,
  CLAUDE_VERSIONS,
  claudePackage,
  codexPackage,
} from "../../support/agent-binaries.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../support/cli.ts";
import { expectNoSecret, expectNothingLeft } from "./after-run.ts";
import { DUMMY_KEY, FAREWELL, featureRules, FORBIDDEN, GUIDANCE, PHASES, PROJECT } from "./feature-scripts.ts";

const TITLE = "say goodbye";
const ITEM = "docs/requirements/REQ-0001-say-goodbye";
const NEWEST_CLAUDE = CLAUDE_VERSIONS.at(-1) ?? "";

type Setup = Pick<IsolatedAgent, "env" | "model" | "close">;

type Agent = {
  readonly name: string;
  readonly binary: AgentBinary;
  readonly keyVariable: string;
  readonly start: (root: string) => Promise<Setup>;
  /** Error for a reviewer that tries to write. */
  readonly refusal: RegExp;
  readonly tellsCost: boolean;
};

const agents: readonly Agent[] = [
  {
    name: "codex",
    binary: await agentBinary(codexPackage),
    keyVariable: "SCRIPTED_KEY",
    start: () => withCodex(featureRules(ITEM, { at: (path) => path, readsFirst: false })),
    refusal: /Read-only file system/,
    tellsCost: false,
  },
  {
    name: "claude",
    binary: await agentBinary(claudePackage(NEWEST_CLAUDE)),
    keyVariable: "ANTHROPIC_API_KEY",
    start: (root) =>
      withClaude(NEWEST_CLAUDE, featureRules(ITEM, { at: (path) => join(root, path), readsFirst: true })),
    refusal: /No such tool|not available/i,
    tellsCost: true,
  },
];

let setup: Setup | null = null;
afterEach(async () => {
  await setup?.close();
  setup = null;
});

describe.each(agents)("supervised feature with $name", (agent) => {
  test.skipIf(!agent.binary.ok)("runs from the scan to the merge, with a redo and a failing test", async () => {
    const sandbox = await createSandbox({ files: PROJECT });
    setup = await agent.start(sandbox.root);
    const { model, env } = setup;
    const isdlc = async (...args: string[]): Promise<Json> => {
      const person = { ...env, [agent.keyVariable]: DUMMY_KEY, ISDLC_OPERATOR_TOKEN: sandbox.token };
      const outcome = await sandbox.start([...args, "--json"], person).ended;
      return { code: outcome.code, ...parsed(outcome) };
    };

    // Uses the setting, like a user who always works with this agent.
    expect(await isdlc("config", "set", "agent", agent.name)).toMatchObject({ code: 0 });
    const waits: string[] = [];
    let said = await isdlc("feature", TITLE, "--supervised", "--tests", "trust");
    while (["gate", "sizing"].includes(said.run?.waiting?.kind)) {
      const { id, kind } = said.run.waiting;
      waits.push(kind === "sizing" ? kind : id.replace(/\/gate-[0-9]+$/, ""));
      if (kind === "sizing") said = await isdlc("answer", "standard");
      else if (waits.at(-1) === "02-impact-analysis#1") said = await isdlc("redo", GUIDANCE);
      else said = await isdlc("continue");
    }
    expect(said).toMatchObject({ code: 3, run: { waiting: { kind: "finish" } } });
    const gates = PHASES.map(({ key }) => `${key}#1`);
    expect(waits).toEqual([...gates.slice(0, 3), "02-impact-analysis#2", "sizing", ...gates.slice(3)]);
    const { run } = await isdlc("status");
    expect(await isdlc("answer", "merge")).toMatchObject({ code: 0, run: { status: "completed", finish: "merge" } });

    expect(model.refused).toEqual([]);
    expectPromptsAndReviews({ sandbox, model, refusal: agent.refusal });
    expectRightFilesOnMain(sandbox);
    expectUsage(run, { answers: model.calls.length, tellsCost: agent.tellsCost });
    const events = await sandbox.events();
    expectWholeHistory(events);
    expectNothingLeft(events);
    expectNoSecret(sandbox, DUMMY_KEY);
  });
});

type FeatureRun = { readonly sandbox: Sandbox; readonly model: IsolatedAgent["model"]; readonly refusal: RegExp };

function expectPromptsAndReviews({ sandbox, model, refusal }: FeatureRun): void {
  const asked = (rule: string, turn: number) =>
    model.calls.filter(({ matched }) => matched?.rule === rule && matched.turn === turn).map(({ request }) => request);
  expect(asked("fixed", 0)).toHaveLength(1);
  expect(asked("fixed", 0)[0]?.messages.at(-1)?.text).toContain("a farewell has its comma");
  const before = asked("fixed", 0)[0]?.messages.slice(0, -1) ?? [];
  expect(
    before.some(({ text }) => text.includes("06-implementation (")),
    "the conversation goes on",
  ).toBe(true);
  expect(asked("analysed again", 0)[0]?.messages.at(-1)?.text).toContain(`REDO GUIDANCE: ${GUIDANCE}`);
  const judged = asked("reviewer", 1);
  expect(judged).toHaveLength(PHASES.filter(({ reviewer }) => reviewer !== null).length + 1);
  for (const { messages } of judged) expect(JSON.stringify(messages)).toMatch(refusal);
  expect(existsSync(join(sandbox.root, FORBIDDEN))).toBe(false);
}

/** Fails unless every phase has its commit and the merge contains all of them. */
function expectRightFilesOnMain(sandbox: Sandbox): void {
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("status", "--porcelain")).toBe("");
  expect(sandbox.read("src/farewell.js")).toBe(FAREWELL);
  expect(sandbox.read(`${ITEM}/impact-analysis.md`)).toContain("src/farewell.js");
  expect(sandbox.read(`${ITEM}/tasks.md`)).toContain("T1");
  const files = sandbox.git("diff", "--name-only", "main^1", "main").split("\n");
  const code = files.filter((file) => !file.startsWith(`${ITEM}/`));
  expect(code).toEqual(["BACKLOG.md", "src/farewell.js", "test/farewell.test.js"]);
  expect(files).toEqual(
    expect.arrayContaining(PHASES.flatMap(({ outputs }) => outputs.map((file) => `${ITEM}/${file}`))),
  );
}

type UsageExpectation = { readonly answers: number; readonly tellsCost: boolean };

/** The scripted model counts 100 input and 10 output tokens for each answer. */
function expectUsage(run: Json, { answers, tellsCost }: UsageExpectation): void {
  const total = (key: string): number =>
    run.phases.reduce((sum: number, phase: Json) => sum + Number(phase.usage[key]), 0);
  expect({ input: total("input"), output: total("output") }).toEqual({ input: 100 * answers, output: 10 * answers });
  expect(run.phases.map((phase: Json) => typeof phase.usage.usd === "number")).toEqual(PHASES.map(() => tellsCost));
}

type Events = Awaited<ReturnType<Sandbox["events"]>>;

function expectWholeHistory(events: Events): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(events.at(-1)?.type).toBe("run.finished");
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  expect({
    answers: count("gate.answered"),
    failures: count("checks.failed"),
    verdicts: count("verdict.given"),
    commits: count("phase.committed"),
  }).toEqual({ answers: 10, failures: 1, verdicts: 7, commits: 9 });
}
