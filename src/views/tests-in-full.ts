import { testCommandText } from "../core/test-command.ts";
import { plainLine, plainText } from "./plain-text.ts";
import type { CheckResult } from "../schema/facts.ts";

type Tests = {
  readonly command: {
    readonly argv: readonly string[];
    readonly more?: string[][] | undefined;
    readonly source: string;
  };
  readonly definition: readonly { readonly name: string; readonly text: string }[];
};

/** Lists the test command and every line of its scripts, as plain text that cannot act or hide anything. */
export const testsInFull = ({ command, definition }: Tests): string[] => [
  `Tests would be run with: ${plainLine(testCommandText(command), MAX_LINE_LENGTH)} (${plainLine(command.source)})`,
  ...definition.flatMap(({ name, text }) => [`${plainLine(name)}:`, ...plainText(text).split("\n").map(indented)]),
];

const MAX_LINE_LENGTH = 5000;
const indented = (line: string): string => `  ${line}`;

/** Size of a terminal. Up to two screens are printed before a question, each counted with at least 24 rows. */
export type ScreenSize = { readonly columns: number; readonly rows: number };
const SCREENS = 2;
const FEWEST_ROWS = 24;

/** Cuts lines to two screens, marks the omission, and keeps the last line. */
export function cutToScreens(lines: readonly string[], { columns, rows }: ScreenSize): string[] {
  const most = SCREENS * Math.max(rows, FEWEST_ROWS);
  const heights = lines.map((line) => Math.max(1, Math.ceil(line.length / columns)));
  if (sum(heights) <= most) return [...lines];
  const last = lines.at(-1) ?? "";
  let room = most - 2 - (heights.at(-1) ?? 1);
  const shown: string[] = [];
  for (const [at, line] of lines.slice(0, -1).entries()) {
    room -= heights[at] ?? 1;
    if (room < 0) break;
    shown.push(line);
  }
  const left = lines.length - 1 - shown.length;
  return [
    ...shown,
    `… ${left} more ${left === 1 ? "line is" : "lines are"} NOT SHOWN here: read the files before you say yes.`,
    last,
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

type CheckOutcome = Pick<CheckResult, "ok" | "isKnown" | "notStarted" | "against">;

/** Describes the result of a check. Without the names of failing tests, new failures look like known ones. */
export function checkOutcome({ ok, isKnown, notStarted, against }: CheckOutcome): string {
  if (notStarted === true) return "could not be started";
  if (ok === null) return "not run";
  if (ok) return "passed";
  if (isKnown !== true) return "failed";
  return against === undefined ? "failed as before the run" : "no new failures";
}

/** Lists notes about tests that ran, whatever their result. */
export const testNotes = (checks: readonly CheckResult[] = []): string[] =>
  checks.flatMap(({ ranAs, notes = [] }) => [...(ranAs === "you" ? [RAN_AS_YOU] : []), ...notes]);

const RAN_AS_YOU = "Tests ran as you: in the working tree, with your rights, and without a sandbox around them.";
