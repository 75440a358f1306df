import { expect, test } from "vitest";
import { createSandbox } from "../../../support/cli.ts";

test("merges the run's branch if the user answers on the base branch", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("fix", "wrong greeting", "--review", "08", "--tests", "without", ...sandbox.agent);
  await sandbox.person("continue");
  expect(await sandbox.status()).toMatchObject({ waiting: { kind: "finish" } });
  sandbox.git("switch", "--quiet", "main");
  expect((await sandbox.person("answer", "merge")).code).toBe(0);
  expect(sandbox.git("log", "--first-parent", "--merges", "--format=%s", "main")).toMatch(/^Merge bugfix\/BUG-0001/);
  expect(sandbox.git("status", "--porcelain")).toBe("");
  expect(sandbox.git("show", "main:BACKLOG.md")).toContain("[x]");
});
