import { test } from "@fast-check/vitest";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { believeEnvelope } from "../../src/adapters/attestation/believe-envelope.ts";
import { createStudio } from "./studio.ts";

const studio = createStudio();
const signers = studio.signers("known", `ada@example.org ${studio.keys.ada.public}`);
const envelope = Buffer.from(await studio.sign(studio.statement));
const believe = (line: string) => believeEnvelope(line, { signers, now: Date.now() });

/** The parts of an envelope, each with where it begins and ends. */
const parts = Object.fromEntries(
  [...envelope.toString().matchAll(/"(payload|payloadType|keyid|sig)":"([^"]*)"/g)].map(
    ({ index, 0: all, 1: name = "" }) => [name, [index, index + all.length - 1]],
  ),
) as Readonly<Record<"payload" | "payloadType" | "keyid" | "sig", [number, number]>>;
const anywhere = fc.integer({ min: 0, max: envelope.length - 1 });
const within = ([min, max]: [number, number]) => fc.integer({ min, max });

/** Anywhere, and often where there is little: most of an envelope is payload. */
const place = fc.oneof(
  anywhere,
  within(parts.payload),
  within(parts.payloadType),
  within(parts.keyid),
  within(parts.sig),
);
const flips = fc.integer({ min: 1, max: 255 });

function flipped(at: number, bits: number): string {
  const copy = Buffer.from(envelope);
  copy[at] = (copy[at] ?? 0) ^ bits;
  return copy.toString("utf8");
}

test("the envelope is believed as it is", async () => {
  expect(await believe(envelope.toString())).toMatchObject({ is: "believed" });
});

describe("an envelope with a byte changed", () => {
  test.prop([place, flips], { numRuns: 400 })("is not believed, whichever byte it is", async (at, bits) => {
    expect(await believe(flipped(at, bits))).toMatchObject({ is: "refused" });
  });

  test.prop([fc.integer({ min: 0, max: envelope.length - 1 })], { numRuns: 50 })(
    "is not believed cut off",
    async (at) => {
      expect(await believe(envelope.subarray(0, at).toString())).toMatchObject({ is: "refused" });
    },
  );

  test("gets as far as the signature often enough for this to mean something", async () => {
    const reasons: string[] = [];
    for (const at of fc.sample(place, { numRuns: 60, seed: 7 })) {
      const bits = fc.sample(flips, { numRuns: 1, seed: at })[0] ?? 1;
      const belief = await believe(flipped(at, bits));
      reasons.push(belief.is === "refused" ? belief.why : "");
    }
    expect(reasons.filter((why) => why.includes("does not fit")).length).toBeGreaterThan(2);
    expect(new Set(reasons).size).toBeGreaterThan(3);
  });
});
