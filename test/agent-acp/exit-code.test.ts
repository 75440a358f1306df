import { expect, test } from "vitest";
import { runFake } from "./run-fake-acp.ts";

// An agent may exit with an HTTP status, of which an exit code keeps eight bits.
test.each([
  [401, 401 % 256],
  [400, 400 % 256],
])("does not read exit code of HTTP status %i (%i) as a status", async (status, code) => {
  const { end } = await runFake({ plays: [[{ say: "Working.\n" }, { exit: code }]] });
  expect(end).toMatchObject({ how: "failed", reason: "bad_exit", again: true });
  expect(JSON.stringify(end)).not.toContain(String(status));
});
