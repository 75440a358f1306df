import { plainText } from "../../core/plain-text.ts";

const MAX_LINES = 60;
const MAX_LINE_LENGTH = 400;
/** Lines that package managers add to a failed script. */
const NOISE =
  /^(?:npm (?:ERR!|error|notice|warn)\b|> \S+@\S+ \w+|ELIFECYCLE\b|error Command failed\b|info Visit https:\/\/yarnpkg)/i;

/** Start of a line that names a failed test. Long reports name it far from their end. */
const FAILED = /^\s*(?:not ok\b|✖|✗|✘|×|FAIL(?:ED|URE)?\b|--- FAIL|E\s{2,}|AssertionError|Error:)/;
const MAX_FAILED_LINES = 20;

/**
 * Returns the last lines of a test output, and earlier lines that name failed tests, as plain text. Secrets are
 * removed after escape sequences, which could split a secret, and before lines are cut, which could leave half of one.
 */
export function usefulLines(output: string, redact: (text: string) => string): string[] {
  const lines = redact(plainOutput(output))
    .split("\n")
    .map((line) => printable(line).trimEnd())
    .filter((line) => line.trim() !== "" && !NOISE.test(line.trim()));
  const earlier = lines.slice(0, -MAX_LINES).filter((line) => FAILED.test(line));
  return [...earlier.slice(0, MAX_FAILED_LINES), ...lines.slice(-MAX_LINES)].map(shortened);
}

/** Removes the colors that tools add for a terminal. */
export const plainOutput = (output: string): string => output.replaceAll(STYLES, "");

// oxlint-disable-next-line no-control-regex -- matches the escape character
const STYLES = /\u001b\[[0-9;]*[A-Za-z]/g;

const shortened = (line: string): string =>
  line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} […]` : line;

/** Returns the last state of a progress line, which overwrites itself after each carriage return. */
const printable = (line: string): string => plainText(line.replace(/\r+$/, "").split("\r").at(-1) ?? "");
