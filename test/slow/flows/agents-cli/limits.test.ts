import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Capabilities } from "../../../../src/ports/agent-backend.ts";
import { capabilityRows, unmetWishes } from "../../../../src/app/agents/capability-rows.ts";
import { planLimits } from "../../../../src/app/start/limits.ts";
import { findVerb } from "../../../../src/surfaces/cli/grammar/catalog.ts";
import { runRequest } from "../../../../src/surfaces/cli/grammar/run-request.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

const start = (sandbox: Sandbox, ...more: string[]) =>
  sandbox.script("add a greeting", "--json", ...more, ...sandbox.agent);
const costing = (usd: number) => ({ always: { usage: { input: 100, output: 10, usd } } }) as object;

test.concurrent("waits when the budget is spent, and continues only with a higher one", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(costing(2));
  const { run } = parsed(await start(sandbox, "--max-usd", "1.5"));
  expect(run.waiting).toMatchObject({ kind: "budget", options: expect.arrayContaining(["raise"]), spent: { usd: 2 } });
  expect(sandbox.log()).toHaveLength(1);
  const low = await sandbox.person("answer", "raise", "--text", "2", "--json");
  expect([low.code, parsed(low).problem]).toMatchObject([
    1,
    { code: "COMMAND_REFUSED", refusal: { why: "budgetTooLow" } },
  ]);
  expect(sandbox.log()).toHaveLength(1);
  const raised = parsed(await sandbox.person("answer", "raise", "--text", "5", "--json")).run;
  expect(raised.waiting).toMatchObject({ kind: "budget", spent: { usd: 4 }, budget: { usd: 5 }, ahead: { usd: 2 } });
  expect(sandbox.log().map(({ key }) => key)).toEqual(["plan", "implement"]);
});

test.concurrent("asks before the budget is exceeded and estimates the next execution", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(costing(0.4));
  const { run } = parsed(await start(sandbox, "--max-usd", "1"));
  const ahead = { usd: 0.4 };
  expect(run.waiting).toMatchObject({ kind: "budget", spent: { usd: 0.8 }, budget: { usd: 1 }, ahead });
  expect(sandbox.log()).toHaveLength(2);
  expect((await sandbox.script("gate")).stdout).toContain(
    "The budget would be exceeded: 220 tokens, $0.80 of $1.00 spent, and the next step takes about $0.40.",
  );
  const low = await sandbox.person("answer", "raise", "--text", "1.1", "--json");
  expect(parsed(low).problem).toMatchObject({ refusal: { why: "budgetTooLow", ahead: "$0.40" } });
  expect(parsed(await sandbox.person("answer", "raise", "--text", "9", "--json")).run.waiting.kind).toBe("gate");
});

test.concurrent("raises a token limit in tokens", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(costing(0));
  const { run } = parsed(await start(sandbox, "--max-tokens", "150"));
  expect(run.waiting).toMatchObject({ kind: "budget", spent: { input: 100, output: 10 }, ahead: { input: 100 } });
  expect((await sandbox.person("answer", "raise", "--text", "0.5")).code).toBe(2);
  expect(parsed(await sandbox.person("answer", "raise", "--text", "5000", "--json")).run.waiting.kind).toBe("gate");
  const raised = (await sandbox.events()).find(({ type }) => type === "budget.raised");
  expect(raised).toMatchObject({ budget: { usd: null, tokens: 5000 } });
});

test.concurrent("treats impossible usage as unknown, and asks if there is a budget", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(costing(1e300));
  const { run } = parsed(await start(sandbox, "--max-usd", "9"));
  expect(run.waiting).toMatchObject({ kind: "budget", unknown: true, spent: { input: 100, usd: null } });
  expect(sandbox.log()).toHaveLength(1);
  expect((await sandbox.script("gate")).stdout).toContain("an agent reported an impossible usage");
  sandbox.plan(costing(1));
  const raised = parsed(await sandbox.person("answer", "raise", "--text", "9", "--json")).run;
  expect(raised.waiting.kind).toBe("gate");
  const without = await createSandbox();
  without.plan(costing(1e300));
  expect(parsed(await start(without)).run.waiting.kind).toBe("gate");
});

test.concurrent("limits tokens by a setting and warns about limits that the agent lacks", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(costing(0));
  writeFileSync(join(sandbox.config, "config.json"), JSON.stringify({ "max-tokens": 100, "max-turns": 7 }));
  const started = await start(sandbox, "--max-usd", "9");
  expect(parsed(started).run.waiting).toMatchObject({ kind: "budget", budget: { usd: 9, tokens: 100 } });
  const [first] = await sandbox.events();
  expect(first).toMatchObject({ options: { budget: { usd: 9, tokens: 100 }, limits: { turns: 7, minutes: null } } });
  for (const said of ["a budget in dollars counts what it reports", "command has no limit on turns"]) {
    expect(first).toMatchObject({ warnings: expect.arrayContaining([expect.stringContaining(said)]) });
    expect(started.stderr).toContain(said);
  }
});

test.concurrent("ends an execution after its time limit and lets the user raise it", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ hangs: true }, {}] } });
  const { run } = parsed(await start(sandbox, "--max-minutes", "0.02", "--supervised"));
  expect(run.waiting).toMatchObject({ kind: "escalation" });
  expect((await sandbox.script("gate")).stdout).toContain("longer than 0.02 minutes");
  expect(sandbox.log()).toHaveLength(1);
  expect((await sandbox.person("retry", "--max-minutes", "5")).code).toBe(3);
  expect(await sandbox.status()).toMatchObject({ waiting: { kind: "gate" } });
  const events = await sandbox.events();
  expect(events.find(({ type }) => type === "step.retried")).toMatchObject({ limits: { turns: null, minutes: 5 } });
  expect((await sandbox.person("retry", "--max-minutes", "9")).code).toBe(2); // nothing has failed
});

test.concurrent.each([
  ["--max-usd", "0"],
  ["--max-usd", "-5"],
  ["--max-usd", "five"],
  ["--max-usd", "1e3"],
  ["--max-tokens", "1.5"],
  ["--max-turns", ""],
  ["--max-minutes", "10081"],
  ["--session", "other"],
])("rejects %s %j and writes nothing", async (option, value) => {
  const sandbox = await createSandbox();
  const refused = await start(sandbox, `${option}=${value}`);
  expect([refused.code, parsed(refused).problem.code]).toEqual([2, "USAGE"]);
  expect(parsed(await sandbox.script("status", "--json")).run).toBeNull();
});

test.each([
  [{}, {}, {}],
  [{ "max-usd": "5" }, { "max-usd": 9 }, { budget: { usd: 5, tokens: null } }],
  [{}, { "max-minutes": 3 }, { limits: { turns: null, minutes: 3 } }],
  [{ session: "shared" }, { session: "phase" as const }, { session: "shared" }],
  [{ "max-minutes": "10080" }, {}, { limits: { turns: null, minutes: 10_080 } }],
])("combines options %j and settings %j into limits %j", (values, settings, expected) => {
  const verb = findVerb("feature")!;
  const by = { name: "script", channel: "script" } as const;
  const { wishes } = runRequest({ values, verb }, { workflow: "feature", title: "x", by });
  expect(planLimits(wishes, settings)).toEqual(expected);
});

const ABLE: Capabilities = {
  version: "1",
  structuredResult: true,
  readOnly: true,
  cost: true,
  turns: true,
  budget: true,
  resumes: true,
};

const USD = { budget: { usd: 5, tokens: null } };
type Row = readonly [
  where: string,
  wishes: Parameters<typeof unmetWishes>[0],
  able: Capabilities,
  told: readonly RegExp[],
];

test.for<Row>([
  ["an agent supports every limit", { ...USD, limits: { turns: 3, minutes: 1 } }, ABLE, []],
  ["no limit is set", {}, { ...ABLE, cost: false, budget: false, turns: false }, []],
  [
    "tokens are limited without cost reports",
    { budget: { usd: null, tokens: 5 } },
    { ...ABLE, cost: false, budget: false },
    [],
  ],
  ["the agent has no limit on money", USD, { ...ABLE, budget: false }, [/counts after each execution/]],
  ["the agent does not report its cost", USD, { ...ABLE, budget: false, cost: false }, [/does not report its cost/]],
  [
    "the agent has no limit on turns",
    { limits: { turns: 3, minutes: null } },
    { ...ABLE, turns: false },
    [/no limit on turns/],
  ],
  ["only minutes are limited", { limits: { turns: null, minutes: 3 } }, { ...ABLE, turns: false }, []],
  [
    "the agent cannot resume conversations",
    { session: "shared" as const },
    { ...ABLE, resumes: false },
    [/new conversation/],
  ],
])("returns the right warnings if %s", ([, wishes, able, warnings]) => {
  const agents = [
    { name: "one", able, needsSandbox: null },
    { name: "one", able, needsSandbox: null },
    { name: "two", able: ABLE, needsSandbox: null },
  ];
  expect(unmetWishes(wishes, agents)).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
});

test("lists a reason for exactly the missing abilities", () => {
  const unable = Object.fromEntries(Object.keys(ABLE).map((key) => [key, false])) as unknown as Capabilities;
  expect(
    capabilityRows({ name: "x", able: ABLE, needsSandbox: null }).filter(({ can, reason }) => can && reason === null),
  ).toHaveLength(6);
  expect(
    new Set(capabilityRows({ name: "x", able: unable, needsSandbox: null }).map(({ reason }) => reason)).size,
  ).toBe(6);
});
