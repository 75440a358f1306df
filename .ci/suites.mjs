// Runs the suites, three at a time, counts their tests and ends with one line over all of them.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "isdlc-ci-"));
/** `computed`: seconds of processor time of the suites that ended. */
const total = { passed: 0, failed: 0, computed: 0 };
const TICKS = 100; // of a second, as /proc counts on Linux
/** What vitest made of each source, by its content: suites share most of them. */
const KEPT = ["--experimental.fsModuleCache", `--experimental.fsModuleCachePath=${join(folder, "modules")}`];
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
  const computed = computedByChildren();
  closeSync(output);
  console.log(`\n=== ${name}\n${readFileSync(log, "utf8")}`);
  const took = `${Math.round((Date.now() - started) / 1000)} s, ${Math.round(computed - total.computed)} s of processor time`;
  total.computed = computed;
  console.log(`=== ${name}: exit ${status}, ${took}`);
  return status === 0;
}

/** Seconds of processor time of all suites that ended, and of what they started and waited for. */
function computedByChildren() {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /u, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** A suite of tests: what it counted, and a failure of its own when it did not end well or saw nothing. */
async function tests(name, command, env = {}) {
  const report = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=./.ci/count-reporter.mjs"];
  const ok = await suite(name, [...command, ...reporters, ...KEPT], { ...env, ISDLC_TEST_COUNTS: report });
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
  tests(project, [...priority, "node_modules/.bin/vitest", "run", "--project", project], AT_FULL_SIZE);

/** The storm on a team's runs, and the seconds for which its database is away: less for a person who runs the suite. */
const AT_FULL_SIZE = { ISDLC_TEAM_FAULTS: "200", ISDLC_TEAM_RUNS: "30", ISDLC_TEAM_AWAY: "60" };

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
