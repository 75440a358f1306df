import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/cli.ts";

const PLANTED = { PLANTED_KEY: "planted", NODE_PATH: "/planted", ACME_TOKEN: "planted" };
const NAMES = Object.keys(PLANTED);

/** A project whose tests and hook record the names of their variables. */
async function noting(): Promise<Sandbox & { seen(who: "tests" | "hook"): readonly string[] }> {
  const sandbox = await createSandbox();
  const file = (who: string): string => join(sandbox.base, `${who}.txt`);
  const note = (who: string): string => `env | cut -d= -f1 >> ${file(who)}`;
  sandbox.write("package.json", JSON.stringify({ name: "sample", scripts: { test: note("tests") } }));
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "Tests");
  sandbox.write(".git/hooks/pre-commit", `#!/bin/sh\n${note("hook")}\n`);
  chmodSync(join(sandbox.root, ".git/hooks/pre-commit"), 0o755);
  sandbox.plan({ turns: { implement: [{ writes: { "greeting.js": "1\n" } }] } });
  return {
    ...sandbox,
    seen: (who) => (existsSync(file(who)) ? readFileSync(file(who), "utf8").trim().split("\n") : []),
  };
}

const START = ["add a greeting", "--tests", "trust", "--hooks", "trust", "--review", "implement"];

async function runPast(sandbox: Sandbox): Promise<void> {
  const by = { ...PLANTED, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const begun = await sandbox.start([...START, ...sandbox.agent], by).ended;
  expect(begun.code, begun.stderr).toBe(3);
  const gone = await sandbox.start(["continue"], by).ended;
  expect(gone.code, gone.stderr).toBe(3);
}

test.concurrent("hides the user's variables from agent, reviewer, tests and hook [S11]", async () => {
  const sandbox = await noting();
  await runPast(sandbox);
  const seen = {
    agent: sandbox
      .log()
      .filter(({ role }) => role === "phase")
      .flatMap(({ env }) => env),
    reviewer: sandbox
      .log()
      .filter(({ role }) => role === "reviewer")
      .flatMap(({ env }) => env),
    tests: sandbox.seen("tests"),
    hook: sandbox.seen("hook"),
  };
  for (const [who, names] of Object.entries(seen)) {
    expect(names, who).toEqual(expect.arrayContaining(["HOME", "PATH"]));
    expect(
      names.filter((name) => NAMES.includes(name)),
      who,
    ).toEqual([]);
  }
});

test.concurrent("passes a variable allowed by name only to the allowed program [S11]", async () => {
  const sandbox = await noting();
  await sandbox.person("config", "set", "agent-variables", "ACME_*");
  await sandbox.person("config", "set", "git-variables", "PLANTED_KEY", "--project");
  await sandbox.person("trust", "--yes", "--allow", "env:ACME_TOKEN");
  await runPast(sandbox);
  const planted = (names: readonly string[]): readonly string[] => NAMES.filter((name) => names.includes(name));
  expect(planted(sandbox.log().flatMap(({ env }) => env))).toEqual(["ACME_TOKEN"]);
  expect(planted(sandbox.seen("tests"))).toEqual(["ACME_TOKEN"]);
  expect(planted(sandbox.seen("hook"))).toEqual(["PLANTED_KEY"]);
});

test.concurrent("ignores variables and a webhook planted into the settings while a run is open [S11]", async () => {
  const sandbox = await noting();
  let calls = 0;
  const server = createServer((_asked, answer) => {
    calls++;
    answer.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const by = { ...PLANTED, ISDLC_OPERATOR_TOKEN: sandbox.token };
  await sandbox.start([...START, ...sandbox.agent], by).ended;
  const file = join(sandbox.config, "config.json");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  writeFileSync(file, JSON.stringify({ ...before, "git-variables": NAMES, webhook }));
  const gone = await sandbox.start(["continue"], by).ended;
  server.close();
  expect(gone.code, gone.stderr).toBe(3);
  expect(gone.stdout + gone.stderr).toContain("its git-variables is not used by this run");
  expect(sandbox.seen("hook").filter((name) => NAMES.includes(name))).toEqual([]);
  expect(calls).toBe(0);
});

test.concurrent("rejects variables of isdlc itself [S11]", async () => {
  const sandbox = await createSandbox();
  const set = await sandbox.person("config", "set", "agent-variables", "ISDLC_OPERATOR_TOKEN");
  expect(set.code).not.toBe(0);
});
