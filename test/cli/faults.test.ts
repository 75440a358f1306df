import { describe, expect, test } from "vitest";
import type { Fault } from "../support/fault-files.ts";
import { createSweep, decidingVerbs } from "../support/fault-sweep.ts";

const CHANGES = new Set(["writeSync", "linkSync", "renameSync", "unlinkSync", "mkdirSync", "ftruncateSync"]);
const FAULTS: readonly Fault[] = ["killBefore", "ENOSPC", "killAfter", "EIO", "killBefore", "EROFS"];
const WRITE_FAULTS: readonly Fault[] = ["killBefore", "killHalf", "shortWrite", "ENOSPC"];

/** A write meets every fault, any other call one; all of them everywhere are for the slow suite. */
function faultsAt(call: string, position: number): readonly Fault[] {
  if (call === "writeSync") return WRITE_FAULTS;
  return [CHANGES.has(call) ? (FAULTS[position % FAULTS.length] ?? "killBefore") : "EIO"];
}

describe.each(decidingVerbs)("R1, R3, R11: at every file call of $name", (verb) => {
  test("SM-ERR-302, SM-NFR-05: what was acknowledged stays, nothing is done twice, no gate is skipped, and the run goes on", async () => {
    const sweep = await createSweep(verb);
    let hits = 0;
    let wanted = 0;
    for (const [position, call] of sweep.calls.entries()) {
      for (const fault of faultsAt(call, position)) {
        wanted++;
        if (await sweep.at(position + 1, fault, position % 20 === 0)) hits++;
      }
    }
    sweep.close();
    expect(hits).toBe(wanted);
    expect(hits).toBeGreaterThan(100);
    expect(sweep.found.recorded).toBeGreaterThan(10);
    expect(sweep.found.missing).toBeGreaterThan(10);
  }, 180_000);
});
