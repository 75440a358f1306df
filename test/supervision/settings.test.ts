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
    ["every phase", all, "create-plan", true],
    ["off", none, "03-architecture", false],
    ["a number", only("03"), "03-architecture", true],
    ["another number", only("03"), "04-design", false],
    ["a full key of a numbered phase", only("02-tracing"), "02-tracing", true],
    ["a full key does not stand for its number", only("02-tracing"), "02-impact-analysis", false],
    ["a key without number", only("create-plan"), "create-plan", true],
    ["the first word of a key is not the key", only("create"), "create-plan", false],
  ])("%s", (...[, supervision, key, expected]) => {
    expect(isGateDue(supervision, key)).toBe(expected);
  });
});

describe("readSettings", () => {
  test.each<[string, unknown, SettingsReading]>([
    ["no file", undefined, absent],
    ["no block", { other: 1 }, absent],
    ["not an object", null, unreadable],
    ["a list", [], unreadable],
    ["a block that is no object", { supervised_mode: "on" }, unreadable],
    [
      "a whole block",
      { supervised_mode: { enabled: true, review_phases: ["03"], parallel_summary: false } },
      { is: "set", enabled: true, phases: ["03"], minimal: true },
    ],
    [
      "full keys beside numbers",
      { supervised_mode: { enabled: true, review_phases: ["03", "create-plan", "3", "../x", ""] } },
      set(true, ["03", "create-plan"]),
    ],
    ["nothing valid", { supervised_mode: { enabled: true, review_phases: ["3", "../x"] } }, set(true, "all")],
    ["a flag that is no boolean", { supervised_mode: { enabled: 1 } }, set(false, "all")],
  ])("%s", (_name, state, expected) => {
    expect(readSettings(state)).toEqual(expected);
  });
});

describe("tighten and loosening", () => {
  test.each<[string, Supervision, SettingsReading, Supervision, Supervision | null]>([
    ["the same", only("03"), set(true, ["03"]), only("03"), null],
    ["switched on", none, set(true, ["03"]), only("03"), null],
    ["switched off", all, set(false, "all"), all, none],
    ["one more phase", only("03"), set(true, ["03", "06"]), only("03", "06"), null],
    ["one phase less", only("03", "06"), set(true, ["03"]), only("03", "06"), only("03")],
    ["one more and one less", only("03"), set(true, ["06"]), only("03", "06"), only("06")],
    ["a list made all", only("03"), set(true, "all"), all, null],
    ["all made a list", all, set(true, ["03"]), all, only("03")],
    ["block removed", all, absent, all, none],
    ["file unreadable", only("03"), unreadable, only("03"), none],
    ["off stays off", none, absent, none, null],
    ["a key under its number adds nothing", only("03"), set(true, ["03", "03-architecture"]), only("03"), null],
    [
      "a number made a key loses the rest of the number",
      only("02"),
      set(true, ["02-tracing"]),
      only("02"),
      only("02-tracing"),
    ],
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

  test("no reading takes a gate away, and every gate it would take away is told", () => {
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

  test("nothing added gives the same object back", () => {
    const current = only("03");
    expect(tighten(current, set(true, ["03"]))).toBe(current);
  });
});
