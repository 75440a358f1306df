import { expect, test } from "vitest";
import { createSandbox } from "../support/cli.ts";

test.concurrent("continues a run with the changed agent", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({});
  const started = await sandbox.script("feature", "Log in", "--supervised", "--tests", "without", ...sandbox.agent);
  expect(started.code).toBe(3);
  const [option = "", command = ""] = sandbox.agent;
  const other = [option, `${command} another`];
  expect(await sandbox.script("resume", ...other)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("NEEDS_PERSON"),
  });
  expect((await sandbox.person("resume", ...other)).code).toBe(3);
  expect((await sandbox.person("continue")).code).toBe(3);
  expect(await sandbox.status()).toMatchObject({ current: "01-requirements" });
  const changed = (await sandbox.events()).filter(({ type }) => type === "agents.changed");
  expect(changed).toMatchObject([{ by: { channel: "token" }, agent: { name: "command" } }]);
});
