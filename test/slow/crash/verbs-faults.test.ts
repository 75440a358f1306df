import { describe, expect, test } from "vitest";
import type { Fault } from "../../support/fault-files.ts";
import { createSweep, decidingVerbs } from "../../support/fault-sweep.ts";

const EVERYWHERE: readonly Fault[] = ["killBefore", "EIO"];
const CHANGES: readonly Fault[] = [...EVERYWHERE, "ENOSPC", "EROFS"];
const WRITES: readonly Fault[] = [...CHANGES, "killHalf", "shortWrite"];
/** Reading calls cannot fail because of a full or read-only disk. */
const READING_CALLS: ReadonlySet<string> = new Set(["fstatSync", "lstatSync", "readSync", "readdirSync"]);

const listFaults = (call: string): readonly Fault[] =>
  call === "writeSync" ? WRITES : READING_CALLS.has(call) ? EVERYWHERE : CHANGES;

describe.each(decidingVerbs)("every fault at every file call of $name [R1, R3, R11]", (verb) => {
  test("repeats nothing, skips no gate and can finish the run [SM-ERR-302, SM-NFR-05]", async () => {
    const sweep = await createSweep(verb);
    const { calls } = sweep;
    let wanted = 0;
    let hits = 0;
    for (const [position, call] of calls.entries()) {
      for (const fault of listFaults(call)) {
        wanted++;
        if (await sweep.at(position + 1, fault, position % 5 === 0)) hits++;
      }
    }
    if (await sweep.at(calls.length, "killAfter", true)) hits++; // after any other call equals before the next
    sweep.close();
    expect(calls.filter((call) => call === "writeSync").length).toBeGreaterThan(3);
    expect(wanted).toBeGreaterThan(calls.length * EVERYWHERE.length);
    expect(calls.filter((call) => READING_CALLS.has(call)).length).toBeGreaterThan(10);
    expect(calls.filter((call) => !READING_CALLS.has(call)).length).toBeGreaterThan(10);
    expect(hits).toBe(wanted + 1);
    expect(sweep.found.recorded).toBeGreaterThan(10);
    expect(sweep.found.missing).toBeGreaterThan(10);
  });
});
