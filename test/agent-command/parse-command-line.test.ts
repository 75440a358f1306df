import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../src/core/command-line.ts";

describe("parseCommandLine", () => {
  test.each<[string, string[]]>([
    ["agent", ["agent"]],
    ["  agent   --fast\t-x ", ["agent", "--fast", "-x"]],
    [`agent "two words" 'and "these"'`, ["agent", "two words", 'and "these"']],
    [`"/opt/my agent/run" a`, ["/opt/my agent/run", "a"]],
    [String.raw`agent two\ words \"x\" "a \"b\" \\ \n"`, ["agent", "two words", '"x"', String.raw`a "b" \ \n`]],
    [`agent ''`, ["agent", ""]],
    [`agent a"b"'c'`, ["agent", "abc"]],
    ["agent $HOME `id` $(id) *.ts > x && y; z", ["agent", "$HOME", "`id`", "$(id)", "*.ts", ">", "x", "&&", "y;", "z"]],
    [String.raw`agent 'a\'`, ["agent", "a\\"]],
  ])("splits %s", (text, argv) => {
    expect(parseCommandLine(text)).toEqual({ ok: true, argv });
  });

  test.each([
    ["", "no program"],
    ["   ", "no program"],
    ["'' x", "no program"],
    [`agent "open`, `" is not closed`],
    ["agent it's", "' is not closed"],
    ["agent \\", "backslash"],
    ["agent a\0b", "NUL"],
  ])("rejects %j", (text, detail) => {
    expect(parseCommandLine(text)).toEqual({ ok: false, detail: expect.stringContaining(detail) });
  });

  test("returns quoted words unchanged", () => {
    let special = 0;
    const word = fc.string({ unit: fc.constantFrom("a", " ", "'", '"', "\\", "$", "\n") });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        special += words.some((text) => /['"\\ ]/.test(text)) ? 1 : 0;
        const quoted = words.map((text) => `'${text.replaceAll("'", String.raw`'\''`)}'`);
        expect(parseCommandLine(["agent", ...quoted].join(" "))).toEqual({ ok: true, argv: ["agent", ...words] });
      }),
      { numRuns: 200 },
    );
    expect(special).toBeGreaterThan(50);
  });
});
