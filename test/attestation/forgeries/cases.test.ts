import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCases } from "./all-cases.ts";
import { compareVerifiers } from "./run-histories.ts";
import { type Outcome, verifyModel } from "./verify-model.ts";

const codesIn = ({ commits, lines, rules }: Outcome): Set<string> =>
  new Set([...Object.values(commits), ...lines, ...rules.map((rule) => rule.split(" ", 1).join(""))]);

test("includes more than 250 cases with unique names", () => {
  const names = allCases(40).map(({ model }) => model.name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(250);
});

test("gives equal verdicts and codes in core and reference verifier", async () => {
  const models = ([40, 64] as const).flatMap((digits) => allCases(digits).map(({ model }) => model));
  const { disagreements } = await compareVerifiers(models, join(import.meta.dirname, "reference"));
  expect(disagreements).toEqual([]);
});

describe.for([40, 64] as const)("verification with ids of %i digits", (digits) => {
  test.for(allCases(digits).map((one) => ({ ...one, name: one.model.name, verdict: one.code ?? "accepted" })))(
    "decides $name: $verdict",
    ({ model, code }) => {
      const outcome = verifyModel(model);
      expect(outcome.accepted).toBe(code === null);
      if (code !== null) expect([...codesIn(outcome)]).toContain(code);
    },
  );
});
