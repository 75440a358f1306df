import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missing, suffix } from "../../../sandbox/sandbox-fixture.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

/** Tests that need a folder of the user and a variable, like tests with a database. */
const SUITE = `
const { readFileSync } = require("node:fs");
const { test } = require("node:test");
test("reads", () => readFileSync(process.env.FIXTURES + "/value"));
`;
const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "node --test suite.js" } }),
  "suite.js": SUITE,
};

async function personWithFixtures(): Promise<{ sandbox: Sandbox; env: Record<string, string>; fixtures: string }> {
  const sandbox = await createSandbox({ files: FILES });
  const fixtures = join(sandbox.env["HOME"] ?? "", "fixtures");
  mkdirSync(fixtures);
  writeFileSync(join(fixtures, "value"), "1\n");
  return { sandbox, fixtures, env: { ISDLC_SANDBOX: "on", FIXTURES: fixtures, ISDLC_OPERATOR_TOKEN: sandbox.token } };
}

describe.skipIf(missing !== null).concurrent(`additional needs of sandboxed tests${suffix}`, () => {
  test("are allowed by a person, by name, and stored outside the repository", async () => {
    const { sandbox, env, fixtures } = await personWithFixtures();
    const start = (...args: string[]) => sandbox.start(args, env).ended;
    const { ISDLC_OPERATOR_TOKEN: _, ...script } = env;
    await start("add a greeting", "--tests", "trust", "--supervised", ...sandbox.agent);
    expect(await sandbox.status()).toMatchObject({ waiting: { kind: "escalation", step: "baseline" } });
    const allow = ["trust", "--yes", "--allow", `env:FIXTURES,read:${fixtures}`];
    expect((await sandbox.start(allow, script).ended).stderr).toContain("NEEDS_PERSON");
    await start("retry");
    expect(await sandbox.status()).toMatchObject({ waiting: { kind: "escalation", step: "baseline" } });
    expect((await start(...allow)).stdout).toContain("FIXTURES");
    expect(sandbox.git("status", "--porcelain")).toBe("");
    await start("retry");
    expect(await sandbox.status()).toMatchObject({ current: "plan", waiting: { kind: "gate" } });
    await start("trust", "--yes", "--allow", "none");
    await start("continue");
    expect(JSON.stringify((await sandbox.events()).findLast(({ type }) => type === "checks.failed"))).toContain(
      "ENOENT",
    );
  });

  test("must have a known name", async () => {
    const { sandbox, env } = await personWithFixtures();
    const refused = await sandbox.start(["trust", "--yes", "--allow", "everything", "--json"], env).ended;
    expect([refused.code, parsed(refused).problem.code]).toEqual([2, "USAGE"]);
  });
});
