import { expect, test } from "vitest";
import { createPasteFilter, onOneLine, readTyped } from "../../src/apps/cli/terminal/paste-input.ts";

const BEGIN = "\u001B[200~";
const END = "\u001B[201~";

test.each([
  ["keys", ["abc", "\r"], "abc\r"],
  ["a paste that the terminal marks", [`${BEGIN}one\rtwo\r\n\r\nthree${END}`, "\r"], "one↵two↵↵three\r"],
  ["a paste in pieces", [`${BEGIN}one\r`, `two${END}\r`], "one↵two\r"],
  ["a paste that nothing marks", ["one\rtwo\r"], "one↵two\r"],
  ["Enter pressed twice", ["one\r\r"], "one\r\r"],
  ["arrow keys", ["\u001B[D"], "\u001B[D"],
])("%s", (_what, keys, expected) => {
  const filter = createPasteFilter();
  expect(keys.map(filter).join("")).toBe(expected);
});

test("Ctrl-G wants the editor, with what was typed; in a paste it is only a character", () => {
  const filter = createPasteFilter();
  const typed = filter("so far\u0007").replace("\r", "");
  expect(readTyped(typed)).toEqual({ text: "so far", wantsEditor: true });
  expect(readTyped(createPasteFilter()(`${BEGIN}a\u0007b${END}`)).wantsEditor).toBe(false);
});

test("lines survive the one line they are edited on", () => {
  const text = "one\n\n  two";
  expect(readTyped(onOneLine(text))).toEqual({ text, wantsEditor: false });
});
