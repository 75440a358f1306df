import { expect, test } from "vitest";
import { believe, everyFlip, type Flip, isReadable } from "../../../attestation/flipped-envelope.ts";
import { check, flippedGates } from "../../../attestation/flipped-gate.ts";

const AT_A_TIME = 4;

/** One change per byte that leaves the statement readable, because each one starts ssh-keygen. */
function oneOfEachByte(): Flip[] {
  const flips = new Map<number, Flip>();
  for (const flip of everyFlip()) if (!flips.has(flip.at) && isReadable(flip)) flips.set(flip.at, flip);
  return [...flips.values()];
}

/** Runs a few at a time: most of the time is spent waiting for ssh-keygen. */
async function judgeAll<T>(all: readonly T[], judge: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const work = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await judge(one);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

test("rejects every changed byte of a signed statement", async () => {
  const flips = oneOfEachByte();
  const reasons = new Map<string, number>();
  await judgeAll(flips, async (flip) => {
    const belief = await believe(flip.line);
    if (belief.is !== "refused") throw new Error(`believed with byte ${flip.at} changed`);
    reasons.set(belief.refused.why, (reasons.get(belief.refused.why) ?? 0) + 1);
  });
  expect(flips.length).toBeGreaterThan(800);
  expect(reasons.get("the signature does not fit the statement")).toBeGreaterThan(600);
  expect([...reasons.keys()]).toEqual(expect.arrayContaining([expect.stringContaining("names another key")]));
});

test("rejects every changed byte of a passkey's signed data or signature", async () => {
  const flips = flippedGates();
  expect(flips.length).toBeGreaterThan(600);
  await judgeAll(flips, async (flip) => {
    const reading = await check(flip);
    if (reading.is !== "refused") throw new Error(`believed: ${flip.statement} ${flip.sig}`);
  });
});
