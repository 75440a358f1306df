import { expect, test } from "vitest";
import { type Choice, choiceResult } from "../../src/apps/cli/grammar/choice.ts";

const choice = (kind: Choice["kind"], more: Partial<Choice> = {}): Choice => ({
  kind,
  options: ["yes"],
  flag: "--flag",
  about: ["What it is about."],
  ...more,
});

test.each<[string, Choice, boolean, readonly string[]]>([
  ["a script is told the flag", choice("trust"), false, ["What it is about.", "Run it again with --flag."]],
  [
    "a script is told the flag, whatever there is instead",
    choice("dirty", { instead: "Commit first." }),
    false,
    ["What it is about.", "Run it again with --flag."],
  ],
  [
    "a no is taken for one",
    choice("dirty", { instead: "Commit first." }),
    true,
    ["Nothing was started. Commit first."],
  ],
  [
    "a no is taken for one where nothing else can be done",
    choice("confirm"),
    true,
    ["What it is about.", "Nothing was done. A yes can also be said beforehand: --flag."],
  ],
  [
    "who leaves a menu is told how to choose without it",
    choice("partial"),
    true,
    ["What it is about.", "Run it again with --flag."],
  ],
])("%s", (...[, asked, atTerminal, lines]) => {
  const { instead: _instead, ...told } = asked;
  expect(choiceResult(asked, atTerminal)).toEqual({ code: 3, lines, json: { ok: false, choice: told } });
});
