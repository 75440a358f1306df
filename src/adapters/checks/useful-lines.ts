import { plainText } from "../../core/plain-text.ts";

const MAX_LINES = 60;
const MAX_LINE_LENGTH = 400;
/** What package managers add around a failed script. */
const NOISE =
  /^(?:npm (?:ERR!|error|notice|warn)\b|> \S+@\S+ \w+|ELIFECYCLE\b|error Command failed\b|info Visit https:\/\/yarnpkg)/i;

/** How test runners begin the line that names a failed test; long reports name it far from their end. */
const FAILED = /^\s*(?:not ok\b|✖|✗|✘|×|FAIL(?:ED|URE)?\b|--- FAIL|E\s{2,}|AssertionError|Error:)/;
const MAX_FAILED_LINES = 20;

/**
 * The last lines of a test output that help to find the fault, as plain text. Secrets are taken out after the escape
 * sequences, which could split them, and before lines are cut, which could leave half of one.
 */
export function usefulLines(output: string, redact: (text: string) => string): string[] {
  const lines = redact(plainOutput(output))
    .split("\n")
    .map((line) => printable(line).trimEnd())
    .filter((line) => line.trim() !== "" && !NOISE.test(line.trim()));
  const earlier = lines.slice(0, -MAX_LINES).filter((line) => FAILED.test(line));
  return [...earlier.slice(0, MAX_FAILED_LINES), ...lines.slice(-MAX_LINES)].map(shortened);
}

/** An output without the colours that tools add for a terminal. */
export const plainOutput = (output: string): string => output.replaceAll(STYLES, "");

// oxlint-disable-next-line no-control-regex -- the escape is what is looked for
const STYLES = /\u001b\[[0-9;]*[A-Za-z]/g;

const shortened = (line: string): string =>
  line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} […]` : line;

/** A progress line rewrites itself after each carriage return; the last state is what a person would see. */
const printable = (line: string): string => plainText(line.replace(/\r+$/, "").split("\r").at(-1) ?? "");
