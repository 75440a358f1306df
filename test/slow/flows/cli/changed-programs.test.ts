import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../../../src/adapters/process/find-program.ts";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";

const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "node --test suite.js" } }),
  "suite.js": 'require("node:test").test("green", () => {});\n',
};

/** A PATH with another program of this name first. It links to the real one. */
function pathWithOther({ base }: Sandbox, name: string): string {
  const found = findProgram(name, process.env);
  if (!found.ok) throw new Error(found.detail);
  mkdirSync(join(base, "other"));
  writeFileSync(join(base, "other", name), `#!/bin/sh\nexec "${found.path}" "$@"\n`);
  chmodSync(join(base, "other", name), 0o755);
  return [join(base, "other"), process.env["PATH"]].join(delimiter);
}

const startedIn = async (sandbox: Sandbox): Promise<number> =>
  (await sandbox.events()).filter(({ type }) => type === "execution.started").length;

describe("changed program of a run [S5]", () => {
  test.concurrent.each(["git", "npm"])("starts no agent until the user approves the changed %s", async (name) => {
    const sandbox = await createSandbox({ files: FILES });
    await sandbox.script("add a greeting", "--tests", "trust", "--supervised", ...sandbox.agent);
    const began = await startedIn(sandbox);
    const other = { PATH: pathWithOther(sandbox, name) };
    const answered = await sandbox.start(["continue"], { ...other, ISDLC_OPERATOR_TOKEN: sandbox.token }).ended;
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Recorded\.[^]*PROGRAM_CHANGED/) });
    expect(answered.stdout).toContain(
      `${name} now resolves to ${join(sandbox.base, "other", name)}; when the run started it was `,
    );
    expect((await sandbox.start(["resume"], other).ended).stderr).toContain("PROGRAM_CHANGED");
    expect(await startedIn(sandbox)).toBe(began);
    const agreed = ["trust", "--programs", "--yes"];
    expect((await sandbox.start(agreed, other).ended).stderr).toContain("NEEDS_PERSON");
    const trusted = await sandbox.start(agreed, { ...other, ISDLC_OPERATOR_TOKEN: sandbox.token }).ended;
    expect(trusted.stdout).toContain(`${name}: ${join(sandbox.base, "other", name)}`);
    await sandbox.start(["resume"], other).ended;
    expect(await startedIn(sandbox)).toBeGreaterThan(began);
  });

  test.concurrent("continues without asking if every program resolves to the same path", async () => {
    const sandbox = await createSandbox({ files: FILES });
    await sandbox.script("add a greeting", "--tests", "trust", "--supervised", ...sandbox.agent);
    const began = await startedIn(sandbox);
    await sandbox.person("continue");
    expect(await startedIn(sandbox)).toBeGreaterThan(began);
  });
});
