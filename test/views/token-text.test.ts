import { expect, test } from "vitest";
import type { Usage } from "../../src/schema/agent.ts";
import { tokens } from "../../src/views/token-text.ts";

const usage: Usage = { input: 900, output: 100, usd: 1.5 };

test.each([
  { what: "all of it is known", missing: { missingUsage: 0, missingCost: 0 }, said: "1000 tokens, $1.50" },
  {
    what: "some agents told no cost",
    missing: { missingUsage: 0, missingCost: 1 },
    said: "1000 tokens, at least $1.50 (partly unknown)",
  },
  { what: "some told no tokens", missing: { missingUsage: 2, missingCost: 0 }, said: "at least 1000 tokens, $1.50" },
])("what was used, where $what", ({ missing, said }) => {
  expect(tokens(usage, missing)).toBe(said);
});

test("unknown is never nothing", () => {
  expect(tokens({ input: null, output: null, usd: null })).toBe("");
  expect(tokens({ input: 5, output: null, usd: null })).toBe("5 tokens");
});
