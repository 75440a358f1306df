import { expect, test } from "vitest";
import { createSandbox } from "../../../support/cli.ts";

const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "exit 1", unit: "node --test unit.js" } }),
  "unit.js": 'require("node:test").test("works", () => {});\n',
};
const PLAN = { turns: { implement: [{ writes: { "greeting.js": "1\n" } }] } };

test.concurrent("runs the command of --tests in one run only", async () => {
  const sandbox = await createSandbox({ files: FILES });
  sandbox.plan(PLAN);
  await sandbox.script("add a greeting", "--tests", "npm run unit", ...sandbox.agent);
  const events = await sandbox.events();
  expect(events.find(({ type }) => type === "run.started")).toMatchObject({
    tests: { argv: ["npm", "run", "unit"], isChosen: true },
  });
  expect(await sandbox.status()).toMatchObject({ current: "final-review", waiting: { kind: "gate" } });
  expect((await sandbox.script("config", "get", "tests")).stdout).toContain("detected");
});

test.concurrent("trusts the configured test command until its script changes", async () => {
  const sandbox = await createSandbox({ files: FILES });
  sandbox.plan(PLAN);
  const set = await sandbox.person("config", "set", "tests", "npm run unit");
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining("(yours, for this project)") });
  await sandbox.script("add a greeting", ...sandbox.agent);
  expect(await sandbox.status()).toMatchObject({ current: "final-review" });
  await sandbox.person("cancel", "--reason", "again");
  sandbox.git("switch", "--quiet", "main");
  sandbox.write("package.json", FILES["package.json"].replace("node --test unit.js", "true"));
  sandbox.git("commit", "--quiet", "--all", "--message", "change the script");
  const asked = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining("Tests would be run with: npm run unit") });
  expect(asked.stdout).toContain("Run it again with --tests trust, --tests none or --tests '<command>'.");
});

test.concurrent("rejects a test command that needs a shell and suggests sh -c", async () => {
  const sandbox = await createSandbox({ files: FILES });
  const set = await sandbox.person("config", "set", "tests", "npm test | tee log");
  expect(set.code).toBe(2);
  expect(set.stderr).toContain(`cannot be used: | needs a shell.`);
  expect(set.stderr).toContain(String.raw`isdlc config set tests 'sh -c '\''npm test | tee log'\'''`);
  const { stdout } = await sandbox.person("config", "set", "tests", "sh -c 'npm run unit | cat'");
  expect(stdout).toContain("sh -c 'npm run unit | cat'");
});
