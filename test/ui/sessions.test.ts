import { expect, test } from "vitest";
import { createSessions } from "../../src/surfaces/web-ui/sessions.ts";

const MINUTE = 60_000;

test("opens a session with a link only", () => {
  const sessions = createSessions(
    () => 0,
    () => undefined,
  );
  const session = sessions.exchange(sessions.createSecret());
  expect(session).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(sessions.isOpen(session ?? "")).toBe(true);
  for (const other of ["", "x", session?.slice(0, -1), `${session}x`, sessions.createSecret()])
    expect(sessions.isOpen(other ?? "")).toBe(false);
  expect(sessions.exchange("x")).toBeNull();
});

test("ends the first session of a link used twice, and reports it", () => {
  let told = 0;
  const sessions = createSessions(
    () => 0,
    () => told++,
  );
  const secret = sessions.createSecret();
  const first = sessions.exchange(secret) ?? "";
  const other = sessions.exchange(sessions.createSecret()) ?? "";
  expect(sessions.exchange(secret)).toBeNull();
  expect([sessions.isOpen(first), sessions.isOpen(other), told]).toEqual([false, true, 1]);
});

test.for<[number, boolean]>([
  [10 * MINUTE, true],
  [10 * MINUTE + 1, false],
])("accepts an unused link after %i milliseconds: %s", ([passed, works]) => {
  let now = 0;
  const sessions = createSessions(
    () => now,
    () => undefined,
  );
  const secret = sessions.createSecret();
  now = passed;
  expect(sessions.exchange(secret) !== null).toBe(works);
});

test("keeps the session of a browser that opens its link or a new one again", () => {
  let stolen = 0;
  const sessions = createSessions(
    () => 0,
    () => stolen++,
  );
  const first = sessions.createSecret();
  const session = sessions.exchange(first) ?? "";
  expect(sessions.exchange(first, session)).toBe(session);
  const second = sessions.createSecret();
  expect(sessions.exchange(second, session)).toBe(session);
  expect([sessions.isOpen(session), stolen]).toEqual([true, 0]);
  expect(sessions.exchange(second)).toBeNull();
  expect([sessions.isOpen(session), stolen]).toEqual([false, 1]);
  expect(sessions.exchange(sessions.createSecret(), "x".repeat(43))).not.toBe("x".repeat(43));
});
