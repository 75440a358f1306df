import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ClaudeSetup, withClaude } from "../../agent-claude/with-claude.ts";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../support/cli.ts";
import { expectNoSecret, expectNothingLeft } from "./after-run.ts";
import { changeRules, DEFECT, DUMMY_KEY, fixRules, FORBIDDEN, GUIDANCE, FIXED } from "./claude-scripts.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);

const ITEM = "docs/requirements/BUG-0001-the-greeting-lacks-its-comma";
const TITLE = "the greeting lacks its comma";

const setups: ClaudeSetup[] = [];
afterEach(async () => {
  for (const setup of setups.splice(0)) await setup.close();
});

/** A user with a token, a repository and a real Claude Code with a scripted model. */
async function withRules(version: string, make: (sandbox: Sandbox) => Rule[]) {
  const sandbox = await createSandbox({ files: DEFECT });
  const setup = await withClaude(version, make(sandbox));
  setups.push(setup);
  const env = { ...setup.env, ANTHROPIC_API_KEY: DUMMY_KEY, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const isdlc = async (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Json> => {
    const outcome = await sandbox.start([...args, "--json"], { ...env, ...more }).ended;
    return { code: outcome.code, ...parsed(outcome) };
  };
  return { sandbox, setup, model: setup.model, isdlc };
}

describe.each(binaries)("supervised fix with claude $version", ({ version, binary }) => {
  test.skipIf(!binary.ok)("runs from the failing test to the merge", async () => {
    const { sandbox, model, isdlc } = await withRules(version, ({ root }) => fixRules(root, ITEM));
    const gates: string[] = [];
    let answer = ["fix", TITLE, "--supervised", "--tests", "trust"];
    let said = await isdlc(answer);
    while (said.run?.waiting?.kind === "gate") {
      gates.push(said.run.waiting.id.replace(/-[0-9]+$/, ""));
      answer = gates.at(-1) === "02-tracing#1/gate" ? ["redo", GUIDANCE] : ["continue"];
      said = await isdlc(answer);
    }
    expect(said).toMatchObject({ code: 3, run: { waiting: { kind: "finish" } } });
    expect(gates).toEqual([
      "01-requirements#1/gate",
      "02-tracing#1/gate",
      "02-tracing#2/gate",
      "05-test-strategy#1/gate",
      "06-implementation#1/gate",
      "16-quality-loop#1/gate",
      "08-code-review#1/gate",
    ]);
    const { run } = await isdlc(["status"]);
    expect(await isdlc(["answer", "merge"])).toMatchObject({ code: 0, run: { status: "completed", finish: "merge" } });
    expect(model.refused).toEqual([]);

    const prompts = (rule: string): string[] =>
      model.calls
        .filter(({ matched }) => matched?.rule === rule && matched.turn === 0)
        .map(({ request }) => request.messages.filter(({ role }) => role === "user").at(-1)?.text ?? "");
    expect(prompts("fixed")).toHaveLength(1);
    expect(prompts("fixed")[0]).toContain("a greeting has its comma");
    expect(prompts("traced again")[0]).toContain(`REDO GUIDANCE: ${GUIDANCE}`);
    expectReviewersWereKeptFromWriting({ sandbox, model });
    expectRightFilesOnMain(sandbox);
    expectUsage(run, model.calls.length);
    const events = await sandbox.events();
    expectWholeHistory(events);
    expectNothingLeft(events);
    expectNoSecret(sandbox, DUMMY_KEY);
  });
});

const [newest] = binaries.slice(-1);

test.skipIf(newest?.binary.ok !== true)("merges a change by the program named in ISDLC_CLAUDE", async () => {
  let folder = "";
  const { sandbox, setup, model, isdlc } = await withRules(newest?.version ?? "", ({ root }) =>
    changeRules(root, () => (folder ||= join(".isdlc/work", readdirSync(join(root, ".isdlc/work"))[0] ?? ""))),
  );
  const where = { ISDLC_CLAUDE: setup.program, PATH: sandbox.env["PATH"] ?? "" };
  const first = await isdlc([TITLE, "--tests", "trust"], where);
  expect(first).toMatchObject({ code: 3, run: { current: "final-review", waiting: { kind: "gate" } } });
  await isdlc(["continue"], where);
  expect(await isdlc(["answer", "merge"], where)).toMatchObject({ code: 0, run: { status: "completed" } });
  expect(model.refused).toEqual([]);
  expect(sandbox.git("show", "main:src/greeting.js")).toBe(FIXED.trim());
  expectNothingLeft(await sandbox.events());
  expectNoSecret(sandbox, DUMMY_KEY);
});

type ClaudeRun = { readonly sandbox: Sandbox; readonly model: ClaudeSetup["model"] };

function expectReviewersWereKeptFromWriting({ sandbox, model }: ClaudeRun): void {
  const judged = model.calls.filter(({ matched }) => matched?.rule === "reviewer" && matched.turn === 1);
  expect(judged).toHaveLength(5);
  for (const { request } of judged) {
    expect(request.tools).not.toContain("Write");
    expect(request.messages.findLast(({ role }) => role === "tool")?.text).toMatch(/No such tool|not available/i);
  }
  expect(existsSync(join(sandbox.root, FORBIDDEN))).toBe(false);
}

/** Fails unless every phase has its commit and the merge contains all of them. */
function expectRightFilesOnMain(sandbox: Sandbox): void {
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("status", "--porcelain")).toBe("");
  expect(sandbox.read("src/greeting.js")).toBe(FIXED);
  expect(sandbox.read(`${ITEM}/trace-analysis.md`)).toBe("# Line 1\n");
  const attempts = sandbox.git("log", "--reverse", "--no-merges", "--format=%(trailers:key=Isdlc-Attempt,valueonly)");
  expect(attempts.match(/[^/\n]+#[0-9]+$/gm)).toEqual([
    "01-requirements#1",
    "02-tracing#2",
    "05-test-strategy#1",
    "06-implementation#1",
    "16-quality-loop#1",
    "08-code-review#1",
  ]);
  const files = sandbox.git("diff", "--name-only", "main^1", "main").split("\n");
  expect(files.filter((file) => !file.startsWith(`${ITEM}/`))).toEqual([
    "BACKLOG.md",
    "src/greeting.js",
    "test/comma.test.js",
  ]);
}

/** The scripted model counts 100 input and 10 output tokens for each answer. */
function expectUsage(run: Json, answers: number): void {
  const total = (key: string): number =>
    run.phases.reduce((sum: number, phase: Json) => sum + Number(phase.usage[key]), 0);
  expect({ input: total("input"), output: total("output") }).toEqual({ input: 100 * answers, output: 10 * answers });
  expect(run.phases.every((phase: Json) => phase.usage.usd > 0)).toBe(true);
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
  }).toEqual({ answers: 7, failures: 1, verdicts: 5, commits: 6 });
  expect(events.filter((event) => event.type === "gate.answered").every(({ by }) => by.channel === "token")).toBe(true);
}
