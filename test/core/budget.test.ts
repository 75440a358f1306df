import { describe, expect, test } from "vitest";
import { budgetQuestion, isSpent, wouldExceed } from "../../src/core/budget.ts";
import type { Usage } from "../../src/schema/agent.ts";
import type { Budget } from "../../src/schema/plan.ts";

const used = (input: number | null, output: number | null, usd: number | null = null): Usage => ({
  input,
  output,
  usd,
});
const tokens = (most: number): Budget => ({ usd: null, tokens: most });
const dollars = (most: number): Budget => ({ usd: most, tokens: null });

describe("budget", () => {
  test.for<[string, Usage, Budget, boolean]>([
    ["tokens under the limit", used(60, 39), tokens(100), false],
    ["tokens at the limit", used(60, 40), tokens(100), true],
    ["tokens over the limit", used(60, 41), tokens(100), true],
    ["tokens with one unknown kind", used(null, 100), tokens(100), true],
    ["cost under the limit", used(1, 1, 0.99), dollars(1), false],
    ["cost at the limit", used(1, 1, 1), dollars(1), true],
    ["cost over the limit", used(1, 1, 1.01), dollars(1), true],
    ["unreported usage", used(null, null), { usd: 1, tokens: 1 }, false],
    ["tokens over the limit and cost under it", used(60, 41, 0.5), { usd: 1, tokens: 100 }, true],
    ["usage without any limit", used(1e9, 1e9, 1e9), { usd: null, tokens: null }, false],
  ])("computes if the budget is used up: %s", ([, spent, budget, expected]) => {
    expect(isSpent(spent, budget)).toBe(expected);
  });

  test.for<[string, Usage, Usage, Budget, boolean]>([
    ["cost up to the limit", used(1, 1, 0.6), used(1, 1, 0.4), dollars(1), false],
    ["cost over the limit", used(1, 1, 0.6), used(1, 1, 0.41), dollars(1), true],
    ["tokens up to the limit", used(60, 20), used(10, 10), tokens(100), false],
    ["tokens over the limit", used(60, 20), used(10, 11), tokens(100), true],
    ["unreported cost", used(1, 1, 0.9), used(5, 5), dollars(1), false],
  ])("computes if the next call would exceed the budget: %s", ([, spent, ahead, budget, expected]) => {
    expect(wouldExceed(spent, ahead, budget)).toBe(expected);
  });

  test("asks in the unit that is limited", () => {
    const asked = { spent: used(100, 20, 4.8), budget: dollars(5), ahead: used(10, 5, 0.3) };
    expect(budgetQuestion(asked)).toBe(
      "The budget would be exceeded: 120 tokens, $4.80 of $5.00 spent, and the next step takes about $0.30",
    );
    expect(budgetQuestion({ ...asked, budget: tokens(130) })).toBe(
      "The budget would be exceeded: 120 of 130 tokens spent, and the next step takes about 15 tokens",
    );
    expect(budgetQuestion({ ...asked, budget: tokens(110) })).toBe("The budget is spent: 120 of 110 tokens");
  });
});
