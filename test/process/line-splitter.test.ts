import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter, type Line, createOutputTail } from "../../src/adapters/process/line-splitter.ts";

function split(chunks: readonly Uint8Array[], limit: number): Line[] {
  const lines: Line[] = [];
  const splitter = createLineSplitter(limit, (line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.finish();
  return lines;
}

const text = (lines: readonly Line[]): string[] => lines.map((line) => line.text);

describe("lines of output", () => {
  test.each<[string, string, string[]]>([
    ["no output", "", []],
    ["a last line without a line ending", "a\nb", ["a", "b"]],
    ["empty lines", "\n\na\n", ["", "", "a"]],
    ["line endings of other systems", "a\r\nb\r\n", ["a", "b"]],
  ])("are split from %s", (_, input, expected) => {
    expect(text(split([Buffer.from(input)], 100))).toEqual(expected);
  });

  test.each<[string, string, Line[]]>([
    ["exactly at it", "abcd\n", [{ text: "abcd", cut: false }]],
    [
      "one over it",
      "abcde\nx\n",
      [
        { text: "abcd", cut: true },
        { text: "x", cut: false },
      ],
    ],
    ["without a line ending", "abcdefgh", [{ text: "abcd", cut: true }]],
  ])("have a length limit: %s", (_, input, expected) => {
    expect(split([Buffer.from(input)], 4)).toEqual(expected);
    expect(
      split(
        Array.from(input, (byte) => Buffer.from(byte)),
        4,
      ),
    ).toEqual(expected);
  });

  test("are the same for any chunks", () => {
    let cutInsideCharacter = 0;
    const property = fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "ä", "😀", "\n") }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 7 }),
      (words, size) => {
        const bytes = Buffer.from(words.join(""));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        cutInsideCharacter += chunks.some((chunk) => (chunk[0]! & 0xc0) === 0x80) ? 1 : 0;
        expect(split(chunks, 10_000)).toEqual(split([bytes], 10_000));
      },
    );
    fc.assert(property, { numRuns: 200 });
    expect(cutInsideCharacter).toBeGreaterThan(10);
  });
});

test("keeps the last bytes of an output and marks the cut", () => {
  const tail = createOutputTail(5);
  tail.push(Buffer.from("abc"));
  expect(tail.text()).toBe("abc");
  tail.push(Buffer.from("defg"));
  expect(tail.text()).toBe("[…] cdefg");
});
