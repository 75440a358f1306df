import { describe, expect, test } from "vitest";
import type { Fault } from "../../support/fault-files.ts";
import { createSweep, decidingVerbs } from "../../support/fault-sweep.ts";

const FAULTS: readonly Fault[] = ["killBefore", "killHalf", "killAfter", "shortWrite", "ENOSPC", "EIO", "EROFS"];

describe.each(decidingVerbs)("R1, R3: every fault at every file call of $name", (verb) => {
  test("what was acknowledged stays, nothing is done twice, no gate is skipped, and the run can be finished", async () => {
    const sweep = await createSweep(verb);
    const hits = new Map<Fault, number>(FAULTS.map((fault) => [fault, 0]));
    for (const [position] of sweep.calls.entries()) {
      for (const fault of FAULTS)
        if (await sweep.at(position + 1, fault, true)) hits.set(fault, (hits.get(fault) ?? 0) + 1);
    }
    sweep.close();
    const everywhere = sweep.calls.length;
    const writes = sweep.calls.filter((call) => call === "writeSync").length;
    expect(writes).toBeGreaterThan(3);
    expect(Object.fromEntries(hits)).toEqual({
      killBefore: everywhere,
      killHalf: writes,
      killAfter: everywhere,
      shortWrite: writes,
      ENOSPC: everywhere,
      EIO: everywhere,
      EROFS: everywhere,
    });
  });
});
