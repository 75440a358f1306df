import { afterEach, expect, test } from "vitest";
import { localTime } from "../../src/views/local-time.ts";

const before = process.env["TZ"];
afterEach(() => {
  process.env["TZ"] = before;
});

test.each([
  ["UTC", "2026-02-14T10:00:00.000Z", "2026-02-14 10:00 UTC"],
  ["Europe/Berlin", "2026-02-14T23:30:00.000Z", "2026-02-15 00:30 +01:00"],
  ["Europe/Berlin", "2026-07-14T10:00:00+05:30", "2026-07-14 06:30 +02:00"],
  ["America/St_Johns", "2026-02-14T10:00:00Z", "2026-02-14 06:30 -03:30"],
])("prints for %s the time %s as %s", (zone, at, told) => {
  process.env["TZ"] = zone;
  expect(localTime(at)).toBe(told);
});

test("keeps an invalid timestamp unchanged", () => {
  expect(localTime("unknown")).toBe("unknown");
  expect(localTime("2026-99-99T10:00:00Z")).toBe("2026-99-99T10:00:00Z");
});
