import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { createSandbox, type Json, parsed } from "../../support/cli.ts";
import { drivenAgents, type Setup } from "./driven-agents.ts";

const agents = await drivenAgents();

/**
 * Agents that report each call immediately. Others report seconds later or at their end, and this model answers at
 * once.
 */
const TELLS_AT_ONCE: ReadonlySet<string> = new Set(["claude", "codex"]);

const PAGES = Array.from({ length: 12 }, (_, page) => `page-${page}.md`);

type Agent = (typeof agents)[number];
type Ran = { readonly run: Json; readonly model: Setup["model"]; readonly events: Json[] };

/** Runs a change whose first phase talks to this model. */
async function ran({ start, choice }: Agent, rule: (root: string) => Rule, ...args: string[]): Promise<Ran> {
  const sandbox = await createSandbox({ files: Object.fromEntries(PAGES.map((file) => [file, `# ${file}\n`])) });
  const { env, model, close } = await start(sandbox, [rule(sandbox.root)]);
  try {
    const asked = ["do it", "--agent", choice, "--tests", "without", "--json", ...args];
    const outcome = await sandbox.start(asked, env).ended;
    return { run: parsed(outcome).run, model, events: [...(await sandbox.events())] };
  } finally {
    await close();
  }
}

const repeated = (turn: Turn) => (): Rule => ({ name: "burns", turns: [turn], past: "repeat" });

describe.each(agents)("usage of $choice", (agent) => {
  const CALL = { input: 400, output: 50 };
  const ONE = CALL.input + CALL.output;
  const BUDGET = 2000;
  const reading = (root: string, file: string): Turn => ({ calls: [{ read: join(root, file) }], usage: CALL });
  /** Reads different pages, because some agents end by themselves if they repeat the same call. */
  const readsOn = (root: string): Rule => ({
    name: "reads",
    turns: [...PAGES.map((file) => reading(root, file)), { json: { status: "done" }, usage: CALL }],
  });

  /** Never answers the call after the one that exceeds the budget. */
  const readsUntilSpent = (root: string): Rule => ({
    name: "reads until the budget is spent",
    turns: [...PAGES.slice(0, Math.ceil(BUDGET / ONE)).map((file) => reading(root, file)), { fault: { hang: true } }],
  });

  test.skipIf(!agent.binary.ok)("asks about the token budget and reports the tokens served", async () => {
    const tellsAtOnce = TELLS_AT_ONCE.has(agent.choice);
    const { run, model } = await ran(agent, tellsAtOnce ? readsUntilSpent : readsOn, "--max-tokens", String(BUDGET));
    expect(run.waiting).toMatchObject({ kind: "budget", budget: { tokens: BUDGET } });
    const spent = run.waiting.spent.input + run.waiting.spent.output;
    // A call already in progress when the agent was stopped may have been served partly.
    expect(spent).toBeGreaterThanOrEqual((model.calls.length - 1) * ONE * 0.95);
    expect(spent).toBeLessThanOrEqual(model.calls.length * ONE * 1.05);
    if (tellsAtOnce) expect(spent).toBeLessThanOrEqual(BUDGET + ONE);
  });

  test.skipIf(!agent.binary.ok)("counts usage of a failed execution within 5 % of the tokens served", async () => {
    const rule = (root: string): Rule => ({
      name: "fails",
      turns: [reading(root, "page-0.md"), reading(root, "page-1.md"), { fault: { status: 401, message: "bad key" } }],
    });
    const { run, model, events } = await ran(agent, rule);
    expect(run.waiting).toMatchObject({ kind: "escalation" });
    const used = events.filter(({ type }) => type === "execution.ended").map(({ usage }) => usage);
    const spent = used.reduce((sum, usage) => sum + (usage?.input ?? 0) + (usage?.output ?? 0), 0);
    const served = model.calls.filter(({ matched }) => (matched?.turn ?? 9) < 2).length * ONE;
    expect(served).toBeGreaterThanOrEqual(2 * ONE);
    expect(Math.abs(spent - served)).toBeLessThanOrEqual(served * 0.05);
  });

  test.skipIf(!agent.binary.ok)("reports an unknown model within 15 seconds", { retry: 2 }, async () => {
    const name = agent.choice.split(":")[0] ?? "";
    const unknown = { ...agent, choice: name === "opencode" ? "opencode:scripted/nope" : `${name}:nope` };
    const missing = repeated({ fault: { status: 404, message: "model nope not found" } });
    const { run, model, events } = await ran(unknown, missing);
    expect(run.waiting).toMatchObject({ kind: "escalation", detail: expect.stringContaining("nope") });
    const at = (wanted: string): number => Date.parse(events.find(({ type }) => type === wanted)?.at ?? "");
    // opencode alone takes longer to start on a busy machine; it must not have called the model
    if (name === "opencode") expect(model.calls).toEqual([]);
    else expect(at("step.escalated") - at("execution.started")).toBeLessThan(15_000);
  });
});

/** Agents wait longer after each retry; tests run concurrently. */
describe.concurrent.each(agents)("repeated failures of $choice", (agent) => {
  test.skipIf(!agent.binary.ok)("ends after malformed streams, with the reason", async () => {
    const { run, model } = await ran(agent, repeated({ text: "Half of", fault: { endAfterEvents: 1 } }));
    expect(run.waiting).toMatchObject({ kind: "escalation", detail: expect.stringMatching(/\S/) });
    expect(model.calls.length).toBeLessThanOrEqual(60);
  });

  const broken = repeated({ fault: { status: 500, message: "broken" } });

  test.skipIf(!agent.binary.ok || !TELLS_AT_ONCE.has(agent.choice))(
    "ends after service errors, with the error",
    async () => {
      const { run, model } = await ran(agent, broken);
      expect(run.waiting).toMatchObject({
        kind: "escalation",
        detail: expect.stringMatching(/500|broken|high demand/),
      });
      expect(model.calls.length).toBeLessThanOrEqual(30);
    },
  );

  // Skips agents that wait longer after each error: they need minutes to reach the limit.
  test.skipIf(!agent.binary.ok || TELLS_AT_ONCE.has(agent.choice))(
    "counts service errors in its progress messages",
    async () => {
      const sandbox = await createSandbox();
      const { env, close } = await agent.start(sandbox, [broken()]);
      const asked = ["do it", "--agent", agent.choice, "--tests", "without", "--json"];
      const { child, ended } = sandbox.start(asked, env);
      let told = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        told += chunk.toString("utf8");
        if (/retrying \(2\), \S/.test(told)) child.kill("SIGINT");
      });
      const { code } = await ended;
      await close();
      expect(code).toBe(130);
      expect(told).toMatch(/retrying \(2\), .*(?:500|broken)/);
    },
  );
});
