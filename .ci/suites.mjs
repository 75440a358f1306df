// Runs the suites, three at a time, counts their tests and ends with one line over all of them.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "isdlc-ci-"));
const total = { passed: 0, failed: 0 };
/** Named again at the end, where people look first. */
const failures = [];

/** Suites run beside each other, so each shows what it printed when it has ended. */
async function suite(name, [program, ...args], env = {}) {
  const started = Date.now();
  console.log(`=== ${name} starts`);
  const log = join(folder, `${name}.log`);
  const output = openSync(log, "w");
  const child = spawn(program, args, { stdio: ["ignore", output, output], env: { ...process.env, ...env } });
  const status = await new Promise((resolve) => {
    child.on("error", () => resolve(null));
    child.on("exit", resolve);
  });
  closeSync(output);
  console.log(`\n=== ${name}\n${readFileSync(log, "utf8")}`);
  console.log(`=== ${name}: exit ${status}, ${Math.round((Date.now() - started) / 1000)} s`);
  return status === 0;
}

/** A suite of tests: what it counted, and a failure of its own when it did not end well or saw nothing. */
async function tests(name, command) {
  const report = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=./.ci/count-reporter.mjs"];
  const ok = await suite(name, [...command, ...reporters], { ISDLC_TEST_COUNTS: report });
  const { passed, failed } = counted(report);
  total.passed += passed;
  for (const test of failed) fails(`${name}: ${test}`);
  if (failed.length === 0 && (!ok || passed === 0)) fails(`${name}: ended badly, or saw no test`);
}

/** A command that passes or fails as a whole. */
async function whole(name, failure, priority = []) {
  if (await suite(name, [...priority, "npm", "run", name])) total.passed++;
  else fails(failure);
}

function fails(what) {
  total.failed++;
  failures.push(what);
}

function counted(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { passed: 0, failed: [] };
  }
}

const slow = (project, priority = []) =>
  tests(project, [...priority, "node_modules/.bin/vitest", "run", "--project", project]);

/** A suite that computes leaves the cores to one that waits whenever that one wants them. */
const BEHIND = ["nice", "-n", "5"];

/**
 * Three at a time: one that computes beside two that wait for agents, terminals, browsers and clocks for half of their
 * time. What is left of one kind is shared, from its end, where the longest of those is.
 */
async function sideBySide(computing, waiting) {
  const lane = async (own, others) => {
    for (let next = own.shift() ?? others.pop(); next !== undefined; next = own.shift() ?? others.pop()) await next();
  };
  await Promise.all([lane(computing, waiting), lane(waiting, computing), lane(waiting, computing)]);
}

// These two have every core to themselves, and leave the program built for all that follow.
await tests("fast", ["npm", "test", "--"]);
await whole("check", "check");
await sideBySide(
  [
    () => slow("flows", BEHIND),
    () => slow("rogue", BEHIND),
    () => whole("soak", "soak: something grew that should not", BEHIND),
    () => whole("mutate", "mutate: a planted bug survived", BEHIND),
    () => slow("crash", BEHIND),
  ],
  ["team", "agents", "guest", "browser", "terminal"].map((project) => () => slow(project)),
);

rmSync(folder, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
