// Runs the suites one after the other, counts their tests and ends with one line over all of them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "isdlc-ci-"));
const total = { passed: 0, failed: 0 };
/** Named again at the end, where people look first. */
const failures = [];

function suite(name, program, args) {
  console.log(`\n=== ${name}`);
  const started = Date.now();
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  console.log(`=== ${name}: exit ${status}, ${Math.round((Date.now() - started) / 1000)} s`);
  return status === 0;
}

/** A suite of tests: what it counted, and a failure of its own when it did not end well or saw nothing. */
function tests(name, [program, ...args]) {
  process.env.ISDLC_TEST_COUNTS = join(folder, `${name}.json`);
  const ok = suite(name, program, [...args, "--reporter=default", "--reporter=./.ci/count-reporter.mjs"]);
  const { passed, failed } = counted(process.env.ISDLC_TEST_COUNTS);
  total.passed += passed;
  for (const test of failed) fails(`${name}: ${test}`);
  if (failed.length === 0 && (!ok || passed === 0)) fails(`${name}: ended badly, or saw no test`);
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

const vitest = (project) => ["node_modules/.bin/vitest", "run", "--project", project];

tests("fast", ["npm", "test", "--"]);
if (suite("check", "npm", ["run", "check"])) total.passed++;
else fails("check");
if (suite("mutate", "npm", ["run", "mutate"])) total.passed++;
else fails("mutate: a planted bug survived");
if (suite("soak", "npm", ["run", "soak"])) total.passed++;
else fails("soak: something grew that should not");
for (const project of ["flows", "crash", "rogue", "terminal", "browser", "agents", "guest", "team"])
  tests(project, vitest(project));

rmSync(folder, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
