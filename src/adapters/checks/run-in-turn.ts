import { testCommandText } from "../../core/test-command.ts";
import type { TestRequest } from "../../ports/check-runner.ts";
import type { CheckResult, TestCounts } from "../../schema/facts.ts";

type RunOne = (request: TestRequest) => Promise<CheckResult>;

/** Runs the commands of a request one after another. Stops at the first that does not pass, and adds up the counts. */
export async function runInTurn(request: TestRequest, runOne: RunOne): Promise<CheckResult> {
  const { more = [], ...first } = request.command;
  const counted: TestCounts[] = [];
  let last = await runOne({ ...request, command: first });
  for (const argv of more) {
    if (last.ok !== true) break;
    if (last.counts !== undefined) counted.push(last.counts);
    last = await runOne({ ...request, command: { ...first, argv } });
  }
  if (more.length === 0) return last;
  const all = last.counts === undefined ? counted : [...counted, last.counts];
  const detail = last.ok === true ? `${testCommandText(request.command)} passed` : last.detail;
  return { ...last, detail, ...(all.length === 0 ? {} : { counts: all.reduce(added) }) };
}

const added = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});
