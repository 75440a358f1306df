// Runs the suites one after the other, counts their tests and ends with one line over all of them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "isdlc-ci-"));
const total = { passed: 0, failed: 0 };

function suite(name, program, args) {
  console.log(`\n=== ${name}`);
  const started = Date.now();
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  console.log(`=== ${name}: exit ${status}, ${Math.round((Date.now() - started) / 1000)} s`);
  return status === 0;
}

/** A suite of tests: what it counted, and a failure of its own when it did not end well or saw nothing. */
function tests(name, script) {
  const report = join(folder, `${name}.json`);
  const [program, ...args] = [...script, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = suite(name, program, args);
  const { passed, failed } = counts(report);
  total.passed += passed;
  total.failed += failed + (failed === 0 && (!ok || passed === 0) ? 1 : 0);
}

function counts(report) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

const vitest = (project) => ["node_modules/.bin/vitest", "run", "--project", project];

tests("fast", ["npm", "test", "--"]);
total[suite("check", "npm", ["run", "check"]) ? "passed" : "failed"]++;
for (const project of ["crash", "rogue", "terminal", "agents"]) tests(project, vitest(project));

rmSync(folder, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
