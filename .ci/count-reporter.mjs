// Counts what vitest ran and keeps the reason of everything that failed, errors outside of any test included.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

const EXCERPT = 1500; // characters
const reasonOf = (error) => String(error?.stack ?? error?.message ?? error).slice(0, EXCERPT);
const entry = (what, errors) => `${what}\n    ${errors.length === 0 ? "no reason was given" : reasonOf(errors[0])}`;

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failed = [
      ...tests
        .filter((test) => test.result().state === "failed")
        .map((test) => entry(test.fullName, test.result().errors)),
      ...suites
        .filter((suite) => suite.errors().length > 0)
        .map((suite) => entry(suite.fullName ?? relative(".", suite.moduleId), suite.errors())),
      ...unhandledErrors.map((error) => entry("outside of any test", [error])),
    ];
    const passed = tests.filter((test) => test.result().state === "passed").length;
    writeFileSync(process.env.ISDLC_TEST_COUNTS, JSON.stringify({ passed, failed }));
  }
}
