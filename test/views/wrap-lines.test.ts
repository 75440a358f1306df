import { expect, test } from "vitest";
import { fitLine } from "../../src/views/wrap-lines.ts";

test("wraps a line of output between words, with its indent", () => {
  expect(fitLine("  the quick brown fox jumps over the lazy dog", 30)).toBe(
    "  the quick brown fox jumps\n  over the lazy dog",
  );
});

test.each([
  ["a command", "  isdlc answer retry --guidance 'name the file'"],
  ["a command with a variable", "  XDG_STATE_HOME=/tmp/x isdlc -C /tmp/y history --run 1"],
  ["the next command", "Next: isdlc analyze gift-cards-for-loyal-customers"],
  ["an added line of a patch", "+const greeting = format(name, surname);"],
  ["a document", "one line that is longer than the screen\nand another one"],
])("leaves %s as it is", (_what, line) => {
  expect(fitLine(line, 30)).toBe(line);
});
