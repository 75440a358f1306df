import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

test.for(["server", "worker"])("names the install command for isdlc %s without its package", async (verb) => {
  const sandbox = await createSandbox();
  const told = await sandbox.script(verb, "--json");
  expect(told.code).toBe(1);
  expect(parsed(told).problem).toMatchObject({
    code: "TEAM_NOT_INSTALLED",
    fix: expect.stringContaining("npm install --global isdlc-team"),
  });
});
