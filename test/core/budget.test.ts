import { describe, expect, test } from "vitest";
import { isSpent } from "../../src/core/budget.ts";
import type { Usage } from "../../src/schema/agent.ts";
import type { Budget } from "../../src/schema/plan.ts";

const used = (input: number | null, output: number | null, usd: number | null = null): Usage => ({
  input,
  output,
  usd,
});
const tokens = (most: number): Budget => ({ usd: null, tokens: most });
const dollars = (most: number): Budget => ({ usd: most, tokens: null });

describe("a budget", () => {
  test.for<[string, Usage, Budget, boolean]>([
    ["tokens below it", used(60, 39), tokens(100), false],
    ["tokens at it", used(60, 40), tokens(100), true],
    ["tokens beyond it", used(60, 41), tokens(100), true],
    ["tokens of which one kind is unknown", used(null, 100), tokens(100), true],
    ["money below it", used(1, 1, 0.99), dollars(1), false],
    ["money at it", used(1, 1, 1), dollars(1), true],
    ["money beyond it", used(1, 1, 1.01), dollars(1), true],
    ["what nobody told", used(null, null), { usd: 1, tokens: 1 }, false],
    ["tokens beyond it, and money below", used(60, 41, 0.5), { usd: 1, tokens: 100 }, true],
    ["anything where nothing is limited", used(1e9, 1e9, 1e9), { usd: null, tokens: null }, false],
  ])("is spent or not by %s", ([, spent, budget, expected]) => {
    expect(isSpent(spent, budget)).toBe(expected);
  });
});
