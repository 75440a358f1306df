import { join } from "node:path";
import { expect, test } from "vitest";
import { CARRIED, compareVerifiers, generateHistories } from "./run-histories.ts";

test("reaches equal verdicts and codes in core and reference verifier", async () => {
  const reference = join(import.meta.dirname, "reference");
  const { disagreements, accepted, reasons } = await compareVerifiers(
    generateHistories({ count: 400, seed: 1_000_000 }),
    reference,
  );
  expect(disagreements).toEqual([]);
  expect(accepted).toBeGreaterThan(20);
  expect(reasons.size).toBeGreaterThan(35);
  expect(reasons.get(CARRIED)).toBeGreaterThan(5);
});
