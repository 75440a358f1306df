// Counts what vitest ran and keeps the reason of everything that failed, errors outside of any test included, and the
// files that it was in.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

const EXCERPT = 1500; // characters
const reasonOf = (error) => String(error?.stack ?? error?.message ?? error).slice(0, EXCERPT);
const entry = (what, errors) => `${what}\n    ${errors.length === 0 ? "no reason was given" : reasonOf(errors[0])}`;

const fileOf = (one) => relative(".", (one.module ?? one).moduleId);

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failedTests = tests.filter((test) => test.result().state === "failed");
    const failedSuites = suites.filter((suite) => suite.errors().length > 0);
    const failed = [
      ...failedTests.map((test) => entry(test.fullName, test.result().errors)),
      ...failedSuites.map((suite) => entry(suite.fullName ?? relative(".", suite.moduleId), suite.errors())),
      ...unhandledErrors.map((error) => entry("outside of any test", [error])),
    ];
    const files = [...new Set([...failedTests, ...failedSuites].map((one) => fileOf(one)))];
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const counts = { passed, failed, files, isAllInFiles: unhandledErrors.length === 0, left: failedTests.length };
    writeFileSync(process.env.ISDLC_TEST_COUNTS, JSON.stringify(counts));
  }
}
