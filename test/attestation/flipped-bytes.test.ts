import { test } from "@fast-check/vitest";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { believe, envelope, everyFlip, isReadable } from "./flipped-envelope.ts";
import { check, flippedGates, untouched } from "./flipped-gate.ts";

test("accepts the unchanged envelope", async () => {
  expect(await believe(envelope.toString())).toMatchObject({ is: "run" });
});

describe("envelope with a flipped bit", () => {
  const flips = everyFlip();
  const readable = flips.filter(isReadable);

  test("exists for every bit, in both kinds", () => {
    expect(new Set(flips.map(({ line }) => line)).size).toBeGreaterThan(envelope.length * 7);
    expect(new Set(flips.map(({ at }) => at)).size).toBe(envelope.length);
    expect(readable.length).toBeGreaterThan(2000);
    expect(flips.length - readable.length).toBeGreaterThan(10_000);
  });

  test("is rejected if it is not readable as a statement", async () => {
    const left = new Set(readable);
    const reasons = new Set<string>();
    for (const flip of flips) {
      if (left.has(flip)) continue;
      const belief = await believe(flip.line);
      if (belief.is !== "refused") throw new Error(`believed with byte ${flip.at} changed`);
      reasons.add(belief.refused.why.replace(/".*"| at \S+$/, ""));
    }
    expect(reasons.size).toBeGreaterThan(7);
  });

  test("is rejected by its signature if it is readable", async () => {
    const some = readable.filter((_, index) => index % 50 === 0);
    const beliefs = await Promise.all(some.map(({ line }) => believe(line)));
    expect(beliefs.filter(({ is }) => is !== "refused")).toEqual([]);
    expect(
      beliefs.filter((belief) => belief.is === "refused" && belief.refused.why.includes("does not fit")).length,
    ).toBeGreaterThan(20);
  });
});

test("rejects a gate with a flipped bit in the signed text or the signature", async () => {
  expect(await check(untouched)).toMatchObject({ is: "checked", gateSigners: [{ signer: "ada@example.org" }] });
  const some = flippedGates().filter((_, index) => index % 20 === 0);
  expect(some.length).toBeGreaterThan(30);
  const readings = await Promise.all(some.map(check));
  expect(readings.filter(({ is }) => is !== "refused")).toEqual([]);
});

test.prop([fc.integer({ min: 0, max: envelope.length - 1 })], { numRuns: 50 })(
  "rejects a truncated envelope",
  async (at) => {
    expect(await believe(envelope.subarray(0, at).toString())).toMatchObject({ is: "refused" });
  },
);
