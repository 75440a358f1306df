import { expect, test } from "vitest";
import { createPasteFilter, onOneLine, readTyped } from "../../src/surfaces/cli/terminal/paste-input.ts";

const BEGIN = "\u001B[200~";
const END = "\u001B[201~";

test.each([
  ["single keys", ["abc", "\r"], "abc\r"],
  ["a bracketed paste", [`${BEGIN}one\rtwo\r\n\r\nthree${END}`, "\r"], "one↵two↵↵three\r"],
  ["a bracketed paste in pieces", [`${BEGIN}one\r`, `two${END}\r`], "one↵two\r"],
  ["a paste without brackets", ["one\rtwo\r"], "one↵two\r"],
  ["Enter pressed twice", ["one\r\r"], "one\r\r"],
  ["arrow keys", ["\u001B[D"], "\u001B[D"],
])("reads %s", (_what, keys, expected) => {
  const filter = createPasteFilter();
  expect(keys.map(filter).join("")).toBe(expected);
});

test("opens the editor for Ctrl-G, except inside a paste", () => {
  const filter = createPasteFilter();
  const typed = filter("so far\u0007").replace("\r", "");
  expect(readTyped(typed)).toEqual({ text: "so far", wantsEditor: true });
  expect(readTyped(createPasteFilter()(`${BEGIN}a\u0007b${END}`)).wantsEditor).toBe(false);
});

test("keeps line breaks of text edited on one line", () => {
  const text = "one\n\n  two";
  expect(readTyped(onOneLine(text))).toEqual({ text, wantsEditor: false });
});
