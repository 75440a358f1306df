import type { TestCounts } from "../../../schema/facts.ts";

/** Counts tests by the reports in an output. Null without a known report. Several reports are added up. */
export function countTests(output: string): TestCounts | null {
  const found = REPORTS.map((read) => read(output)).find((counts) => counts.length > 0);
  return found === undefined ? null : found.reduce(added);
}

type CountReader = (output: string) => readonly TestCounts[];

/** `ℹ pass 3` of the spec reporter, `# pass 3` of TAP: one line per number. */
const nodeTest: CountReader = (output) => {
  const blocks = [...output.matchAll(/^[ℹ#] tests (\d+)\n(?:[ℹ#] \w+ [\d.]+\n?){3,}/gmu)];
  return blocks.map(([block]) => {
    const of = (name: string): number => Number(new RegExp(`^[ℹ#] ${name} (\\d+)$`, "mu").exec(block)?.[1] ?? 0);
    return { passed: of("pass"), failed: of("fail") + of("cancelled"), skipped: of("skipped") + of("todo") };
  });
};

/** `Tests  1 failed | 5 passed | 2 skipped (8)` of vitest, `Tests: 1 failed, 5 passed, 6 total` of jest. */
const vitestOrJest: CountReader = (output) => listed(output, /^\s*Tests:?\s+(\d+ \w+(?:(?: \| |, )\d+ \w+)*)/gm);

/** `=== 3 passed, 1 failed, 2 skipped in 0.12s ===` */
const pytest: CountReader = (output) => listed(output, /^=* ?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s/gm);

/** `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once per program. */
const cargo: CountReader = (output) => listed(output, /^test result: \w+\. (\d+ \w+(?:; \d+ \w+)*)/gm);

/** `5 passing (12ms)`, `1 failing`, `2 pending`: lines of mocha. */
const mocha: CountReader = (output) => {
  const lines = [...output.matchAll(/^\s*(\d+ (?:passing|failing|pending))\b/gm)].map(([, words = ""]) => words);
  return lines.length === 0 ? [] : [parseCounts(lines.join(", "))];
};

/** `--- PASS: TestName (0.00s)`: go prints passed tests only on request. */
const go: CountReader = (output) => {
  const marks = [...output.matchAll(/^\s*--- (PASS|FAIL|SKIP): /gm)].map(([, mark]) => mark);
  const of = (name: string): number => marks.filter((mark) => mark === name).length;
  return of("PASS") === 0 ? [] : [{ passed: of("PASS"), failed: of("FAIL"), skipped: of("SKIP") }];
};

const REPORTS: readonly CountReader[] = [nodeTest, vitestOrJest, pytest, cargo, mocha, go];

const listed = (output: string, pattern: RegExp): readonly TestCounts[] =>
  [...output.matchAll(pattern)].map(([, words = ""]) => parseCounts(words));

const FAILED = /^(?:failed|failing|errors?|error)$/;
const SKIPPED = /^(?:skipped|pending|todo|ignored|xfailed|xpassed)$/;

function parseCounts(words: string): TestCounts {
  const pairs = [...words.matchAll(/(\d+) (\w+)/g)].map(([, count = "0", word = ""]) => ({
    count: Number(count),
    word,
  }));
  const sum = (matches: (word: string) => boolean): number =>
    pairs.filter(({ word }) => matches(word)).reduce((total, { count }) => total + count, 0);
  return {
    passed: sum((word) => /^pass(?:ed|ing)$/.test(word)),
    failed: sum((word) => FAILED.test(word)),
    skipped: sum((word) => SKIPPED.test(word)),
  };
}

const added = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});
