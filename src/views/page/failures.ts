import type { FailureView } from "../../schema/api-checks.ts";
import type { CheckResult } from "../../schema/facts.ts";

/** Matches `src/cart.ts:12`, as written in stack traces and reports. */
const PLACE = /(?:^|[\s("'`/])([\w@.+-]+(?:\/[\w@.+-]+)*\.[A-Za-z]\w{0,7}):(\d{1,6})/;

/** Maximum length of a searched and displayed message, in characters. */
const MAX_OUTPUT_LENGTH = 4000;

/** Lists all failures of checks, with file and line if the message names them. */
export const listFailures = (checks: readonly CheckResult[]): FailureView[] =>
  checks
    .filter(({ ok }) => ok === false)
    .flatMap(({ name: check, detail, failing = [] }) =>
      failing.length === 0
        ? [failure(check, check, detail)]
        : failing.map(({ name, message }) => failure(check, name, message ?? "")),
    );

function failure(check: string, name: string, said: string): FailureView {
  const message = said.slice(0, MAX_OUTPUT_LENGTH);
  const [, file = null, line = null] = PLACE.exec(message) ?? [];
  return { check, name, message, file, line: line === null ? null : Number(line) };
}
