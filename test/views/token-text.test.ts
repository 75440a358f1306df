import { expect, test } from "vitest";
import type { PhaseRecord } from "../../src/core/run.ts";
import type { Usage } from "../../src/schema/agent.ts";
import { runUsage, tokens } from "../../src/views/metrics.ts";

const usage: Usage = { input: 900, output: 100, usd: 1.5 };

test.each([
  { what: "no value is missing", missing: { missingUsage: 0, missingCost: 0 }, said: "1000 tokens, $1.50" },
  {
    what: "the cost of an agent is missing",
    missing: { missingUsage: 0, missingCost: 1 },
    said: "1000 tokens, at least $1.50 (partly unknown)",
  },
  {
    what: "the tokens of agents are missing",
    missing: { missingUsage: 2, missingCost: 0 },
    said: "at least 1000 tokens, $1.50",
  },
])("prints usage if $what", ({ missing, said }) => {
  expect(tokens(usage, missing)).toBe(said);
});

test("omits unknown values instead of printing zero", () => {
  expect(tokens({ input: null, output: null, usd: null })).toBe("");
  expect(tokens({ input: 5, output: null, usd: null })).toBe("5 tokens");
});

test.each([
  { what: "several phases", executions: [1, 2, 0], said: "2000 tokens, at least $3.00 (partly unknown)" },
  { what: "one phase, which has its own line", executions: [1, 0], said: "" },
])("adds up tokens and cost of the whole run: $what", ({ executions, said }) => {
  const phases = executions.map((count) => ({ executions: count, usage, missingUsage: 0, missingCost: count - 1 }));
  expect(runUsage(phases as unknown as PhaseRecord[])).toBe(said); // the test reads only these fields
});
