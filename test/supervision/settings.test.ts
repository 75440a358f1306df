import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGateDue, loosening, readSettings, tighten } from "../../src/core/supervision.ts";
import type { SettingsReading } from "../../src/schema/facts.ts";
import type { Supervision } from "../../src/schema/plan.ts";

const all: Supervision = { enabled: true, phases: "all" };
const only = (...phases: string[]): Supervision => ({ enabled: true, phases });
const none: Supervision = { enabled: false, phases: "all" };
const set = (enabled: boolean, phases: "all" | string[]): SettingsReading => ({
  is: "set",
  enabled,
  phases,
  minimal: false,
});
const absent: SettingsReading = { is: "absent" };
const unreadable: SettingsReading = { is: "unreadable" };

describe("isGateDue", () => {
  test.each<[string, Supervision, string, boolean]>([
    ["selects every phase with all", all, "create-plan", true],
    ["selects no phase when disabled", none, "03-architecture", false],
    ["selects a phase by number", only("03"), "03-architecture", true],
    ["skips a phase with another number", only("03"), "04-design", false],
    ["selects a numbered phase by full key", only("02-tracing"), "02-tracing", true],
    ["skips a phase with the number of a listed full key", only("02-tracing"), "02-impact-analysis", false],
    ["selects a key without number", only("create-plan"), "create-plan", true],
    ["skips a phase by the first word of its key", only("create"), "create-plan", false],
  ])("%s", (...[, supervision, key, expected]) => {
    expect(isGateDue(supervision, key)).toBe(expected);
  });
});

describe("readSettings", () => {
  test.each<[string, unknown, SettingsReading]>([
    ["reads a missing file as absent", undefined, absent],
    ["reads a missing block as absent", { other: 1 }, absent],
    ["reads null as unreadable", null, unreadable],
    ["reads a list as unreadable", [], unreadable],
    ["reads a block that is not an object as unreadable", { supervised_mode: "on" }, unreadable],
    [
      "reads a complete block",
      { supervised_mode: { enabled: true, review_phases: ["03"], parallel_summary: false } },
      { is: "set", enabled: true, phases: ["03"], minimal: true },
    ],
    [
      "reads full keys and numbers",
      { supervised_mode: { enabled: true, review_phases: ["03", "create-plan", "3", "../x", ""] } },
      set(true, ["03", "create-plan"]),
    ],
    [
      "reads only invalid phases as all",
      { supervised_mode: { enabled: true, review_phases: ["3", "../x"] } },
      set(true, "all"),
    ],
    ["reads a flag that is not a boolean as off", { supervised_mode: { enabled: 1 } }, set(false, "all")],
  ])("%s", (_name, state, expected) => {
    expect(readSettings(state)).toEqual(expected);
  });
});

describe("tighten and loosening", () => {
  test.each<[string, Supervision, SettingsReading, Supervision, Supervision | null]>([
    ["keep equal settings", only("03"), set(true, ["03"]), only("03"), null],
    ["add gates if switched on", none, set(true, ["03"]), only("03"), null],
    ["report if switched off", all, set(false, "all"), all, none],
    ["add one more phase", only("03"), set(true, ["03", "06"]), only("03", "06"), null],
    ["report a removed phase", only("03", "06"), set(true, ["03"]), only("03", "06"), only("03")],
    ["add one phase and report a removed one", only("03"), set(true, ["06"]), only("03", "06"), only("06")],
    ["extend a list to all", only("03"), set(true, "all"), all, null],
    ["report all replaced by a list", all, set(true, ["03"]), all, only("03")],
    ["report a removed block", all, absent, all, none],
    ["report an unreadable file", only("03"), unreadable, only("03"), none],
    ["keep off as off", none, absent, none, null],
    ["ignore a key under its listed number", only("03"), set(true, ["03", "03-architecture"]), only("03"), null],
    ["report a number replaced by a key", only("02"), set(true, ["02-tracing"]), only("02"), only("02-tracing")],
  ])("%s", (...[, current, reading, tightened, loosened]) => {
    expect(tighten(current, reading)).toEqual(tightened);
    expect(loosening(current, reading)).toEqual(loosened);
  });

  const phases = fc.oneof(
    fc.constant<"all">("all"),
    fc.uniqueArray(fc.constantFrom("02", "03", "02-tracing", "create-plan"), { minLength: 1 }),
  );
  const supervision = fc.record({ enabled: fc.boolean(), phases });
  const reading = fc.oneof(
    fc.record({ is: fc.constant<"set">("set"), enabled: fc.boolean(), phases, minimal: fc.boolean() }),
    fc.constantFrom(absent, unreadable),
  );
  const keys = ["02-tracing", "02-impact-analysis", "03-architecture", "create-plan", "verify"];

  test("never remove a gate, and report each gate a reading would remove", () => {
    let lost = 0;
    fc.assert(
      fc.property(supervision, reading, (current, found) => {
        const after = tighten(current, found);
        const wanted: Supervision = found.is === "set" ? found : none;
        for (const key of keys) {
          const before = isGateDue(current, key);
          expect(isGateDue(after, key)).toBe(before || isGateDue(wanted, key));
          if (!before || isGateDue(wanted, key)) continue;
          lost += 1;
          expect(loosening(current, found)).not.toBeNull();
          expect(loosening(after, found)).not.toBeNull();
        }
      }),
    );
    expect(lost).toBeGreaterThan(20);
  });

  test("return the same object without a change", () => {
    const current = only("03");
    expect(tighten(current, set(true, ["03"]))).toBe(current);
  });
});
