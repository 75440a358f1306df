import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

/** Each line of `red.txt` is a test that fails; `runs.txt`, which git ignores, counts how often the tests ran. */
const SUITE = `
const { appendFileSync, readFileSync } = require("node:fs");
const { test } = require("node:test");
appendFileSync(process.env.RUNS ?? "../runs.txt", "x");
for (const name of readFileSync("red.txt", "utf8").split("\\n").filter(Boolean)) test(name, () => { throw new Error("red"); });
test("green", () => {});
`;
const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "node --test --test-reporter=tap suite.js" } }),
  "suite.js": SUITE,
};
const start = (sandbox: Sandbox, ...more: string[]) =>
  sandbox.script("add a greeting", "--tests", "trust", ...more, ...sandbox.agent);
const runs = (sandbox: Sandbox): number =>
  existsSync(join(sandbox.base, "runs.txt")) ? sandbox.read("../runs.txt").length : 0;

test.concurrent("reports failing tests before the first agent; later returns only new failures to it", async () => {
  const sandbox = await createSandbox({ files: { ...FILES, "red.txt": "old one\nold two\n" } });
  const turns = [{ writes: { "red.txt": "old one\nnew\n", "a.js": "1\n" } }, { writes: { "red.txt": "old one\n" } }];
  sandbox.plan({ turns: { implement: turns } });
  const started = await start(sandbox);
  expect(started.code).toBe(3);
  expect(started.stdout).toMatch(/The tests already fail on the current code:[^]*✗ old one: red\n {2}✗ old two: red/);
  expect(sandbox.log()).toEqual([]);
  const waiting = { kind: "escalation", step: "baseline", options: ["retry", "accept", "skip", "cancel"] };
  expect(await sandbox.status()).toMatchObject({ waiting });
  await sandbox.person("answer", "accept");
  const prompts = sandbox
    .log()
    .filter(({ key }) => key === "implement")
    .map(({ prompt }) => prompt);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toMatch(
    /Newly failing:\n✗ new: red\nFailing since before the run:\n✗ old one: red\nFixed since the run started: old two/,
  );
  expect(await sandbox.status()).toMatchObject({ current: "final-review", waiting: { kind: "gate" } });
});

test.concurrent("shows the test results from before the run and now at the gate", async () => {
  const sandbox = await createSandbox({ files: { ...FILES, "red.txt": "old\n" } });
  sandbox.plan({ turns: { implement: [{ writes: { "a.js": "1\n" } }] } });
  await start(sandbox, "--supervised", "--yes");
  await sandbox.person("continue");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("no new failures, 1 passed, 1 failed (before the run: 1 passed, 1 failed)");
  expect(stdout).toContain("Failing since before the run:\n  - old\n");
});

test.concurrent("reports at the gate that fewer tests pass than before the run", async () => {
  const green = 'for (const name of ["one", "two", "three"]) require("node:test").test(name, () => {});\n';
  const sandbox = await createSandbox({ files: { ...FILES, "red.txt": "", "suite.js": green } });
  sandbox.plan({ turns: { implement: [{ writes: { "suite.js": green.replace(', "three"', "") } }] } });
  await start(sandbox, "--supervised", "--yes");
  await sandbox.person("continue");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("Fewer tests pass than before the run: 3, now 2 (0 skipped).");
});

test.concurrent("asks nothing about passing tests, and reuses the baseline of an unchanged tree", async () => {
  const sandbox = await createSandbox({ files: { ...FILES, "red.txt": "" } });
  sandbox.plan({ turns: { plan: [{ hangs: false, result: { status: "failed", summary: "no" } }] } });
  await start(sandbox);
  expect(await sandbox.status()).toMatchObject({ current: "plan", waiting: { reason: "agent_failed" } });
  expect(runs(sandbox)).toBe(1);
  await sandbox.person("cancel", "--reason", "again");
  sandbox.git("switch", "--quiet", "main");
  await start(sandbox);
  expect(runs(sandbox)).toBe(1);
  const events = await sandbox.events();
  expect(events.find(({ type }) => type === "baseline.measured")).toMatchObject({ result: { ok: true } });
});

test.concurrent("reruns the baseline tests after a fix, unless tests are skipped", async () => {
  const sandbox = await createSandbox({ files: { ...FILES, "red.txt": "old\n" } });
  await start(sandbox);
  sandbox.write("red.txt", "");
  const { run } = parsed(await sandbox.person("retry", "--json"));
  expect(run.waiting).toMatchObject({ kind: "gate" });
  await sandbox.person("cancel", "--reason", "x");
  sandbox.git("checkout", "--quiet", "--", "red.txt");
  sandbox.git("switch", "--quiet", "main");
  const before = runs(sandbox);
  await start(sandbox);
  await sandbox.person("skip");
  expect(await sandbox.status()).toMatchObject({ current: "final-review" });
  expect(runs(sandbox), "failed tests are repeated once").toBe(before + 2);
});

test.concurrent("reports missing packages instead of a failure of the code", async () => {
  const manifest = { name: "sample", scripts: { test: "vitest run" }, devDependencies: { vitest: "4" } };
  const sandbox = await createSandbox({ files: { "package.json": JSON.stringify(manifest) } });
  const { stdout } = await start(sandbox);
  expect(stdout).toContain("something they need is not installed");
  expect(stdout).toContain("Not installed: node_modules is missing: run npm install");
  expect(sandbox.log()).toEqual([]);
});

/** `npm test` starts a program that does not exist. */
const UNSTARTABLE = { "package.json": JSON.stringify({ name: "sample", scripts: { test: "no-such-runner" } }) };

test.concurrent("escalates tests that cannot start, and never counts them as known failures", async () => {
  const sandbox = await createSandbox({ files: UNSTARTABLE });
  sandbox.plan({ turns: { implement: [{ writes: { "a.js": "1\n" } }] } });
  const { stdout } = await start(sandbox, "--yes");
  expect(stdout).toContain("The tests could not be started before the work");
  expect(sandbox.log()).toEqual([]);
  await sandbox.person("answer", "accept");
  expect(await sandbox.status()).toMatchObject({ waiting: { kind: "escalation", reason: "tests_not_started" } });
  expect(sandbox.log().filter(({ key }) => key === "implement")).toHaveLength(1);
  await sandbox.person("retry");
  expect(await sandbox.status()).toMatchObject({ waiting: { kind: "escalation", reason: "tests_not_started" } });
  expect(
    sandbox.log().filter(({ key }) => key === "implement"),
    "only the check is repeated",
  ).toHaveLength(1);
  await sandbox.person("answer", "accept");
  expect((await sandbox.script("gate")).stdout).toMatch(/Tests .*not run/);
  const results = (await sandbox.events()).flatMap((event) => ("results" in event ? event.results : []));
  expect(results.filter(({ isKnown }) => isKnown === true)).toEqual([]);
});

test.concurrent("reports a test as flaky if it fails and passes when run again, before and after the work", async () => {
  const suite = `
const { appendFileSync, readFileSync } = require("node:fs");
const { test } = require("node:test");
appendFileSync("../runs.txt", "x");
test("shaky", () => { if (readFileSync("../runs.txt", "utf8").length % 2 === 1) throw new Error("this time"); });
`;
  const sandbox = await createSandbox({ files: { ...FILES, "suite.js": suite } });
  sandbox.plan({ turns: { implement: [{ writes: { "a.js": "1\n" } }] } });
  await start(sandbox, "--review", "implement");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("Flaky: failed once and passed when run again: shaky");
  expect(sandbox.log().filter(({ key }) => key === "implement")).toHaveLength(1);
  const measured = (await sandbox.events()).find(({ type }) => type === "baseline.measured");
  expect(measured).toMatchObject({ result: { ok: true, flaky: ["shaky"] } });
});
