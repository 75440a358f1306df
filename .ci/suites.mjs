// Runs the suites, several at a time, counts their tests and ends with one line over all of them.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/** The slow suites run one test file at a time, so each has a core. */
const LANES = availableParallelism();

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
async function whole(name, failure) {
  if (await suite(name, ["npm", "run", name])) total.passed++;
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

const slow = (project) => () => tests(project, ["node_modules/.bin/vitest", "run", "--project", project]);

/** In this order, as many at a time as there are lanes: the longest first, so that none is left alone at the end. */
async function inLanes(suites) {
  const left = [...suites];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await next();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

// These two have every core to themselves, and leave the program built for all that follow.
await tests("fast", ["npm", "test", "--"]);
await whole("check", "check");
await inLanes([
  ...["flows", "rogue", "agents", "browser", "crash", "terminal", "team"].map(slow),
  () => whole("mutate", "mutate: a planted bug survived"),
  () => whole("soak", "soak: something grew that should not"),
  slow("guest"),
]);

rmSync(folder, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
