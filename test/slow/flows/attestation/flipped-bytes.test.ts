import { expect, test } from "vitest";
import { believe, everyFlip, type Flip, isReadable } from "../../../attestation/flipped-envelope.ts";

const AT_A_TIME = 4;

/** Of each byte whose change still reads as a statement, one change: ssh-keygen is started for each. */
function oneOfEachByte(): Flip[] {
  const flips = new Map<number, Flip>();
  for (const flip of everyFlip()) if (!flips.has(flip.at) && isReadable(flip)) flips.set(flip.at, flip);
  return [...flips.values()];
}

test("ssh-keygen refuses every byte that can be changed without the statement becoming unreadable", async () => {
  const flips = oneOfEachByte();
  const reasons = new Map<string, number>();
  const left = [...flips];
  const work = async (): Promise<void> => {
    for (let flip = left.pop(); flip !== undefined; flip = left.pop()) {
      const belief = await believe(flip.line);
      if (belief.is === "believed") throw new Error(`believed with byte ${flip.at} changed`);
      reasons.set(belief.why, (reasons.get(belief.why) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  expect(flips.length).toBeGreaterThan(800);
  expect(reasons.get("the signature does not fit the statement")).toBeGreaterThan(600);
  expect([...reasons.keys()]).toEqual(expect.arrayContaining([expect.stringContaining("names another key")]));
});
