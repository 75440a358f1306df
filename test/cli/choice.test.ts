import { expect, test } from "vitest";
import type { Choice } from "../../src/app/choice.ts";
import { choicesResult } from "../../src/surfaces/cli/grammar/choice.ts";

const choice = (id: Choice["id"], kind: Choice["kind"], more: Partial<Choice> = {}): Choice => ({
  id,
  kind,
  options: ["yes"],
  about: ["What it is about."],
  ...more,
});

test.each<[string, Choice, boolean, readonly string[]]>([
  [
    "lists each value of the flag for a script",
    choice("tests", "trust"),
    false,
    ["What it is about.", "Run it again with --tests trust, --tests none or --tests '<command>'."],
  ],
  [
    "names the flag for a script, even with an alternative",
    choice("dirty", "dirty", { instead: "Commit first." }),
    false,
    ["What it is about.", "Run it again with --allow-dirty."],
  ],
  [
    "prints the alternative after a no",
    choice("dirty", "dirty", { instead: "Commit first." }),
    true,
    ["Nothing was started. Commit first."],
  ],
  [
    "prints that the command is cancelled after a no without an alternative",
    choice("skips", "confirm"),
    true,
    ["What it is about.", "Cancelled. (Use --yes to skip this question.)"],
  ],
  [
    "names the flag after a closed menu",
    choice("partial", "partial", { options: ["resume", "skip", "restart"] }),
    true,
    ["What it is about.", "Run it again with --on-partial resume, --on-partial skip or --on-partial restart."],
  ],
  [
    "names the values of the flag for hooks",
    choice("hooks", "trust", { options: ["trust", "without"] }),
    false,
    ["What it is about.", "Run it again with --hooks trust or --hooks without."],
  ],
  [
    "names the folder of the other working tree",
    choice("begun", "partial", { options: ["resume", "fresh"], path: "/tmp/other" }),
    false,
    ["What it is about.", "Run it again with --on-partial resume or --on-partial fresh, or isdlc -C /tmp/other."],
  ],
])("%s", (...[, asked, atTerminal, lines]) => {
  const { code, lines: shown, json } = choicesResult([asked], atTerminal);
  expect([code, shown]).toEqual([3, lines]);
  const { kind, options, about } = asked;
  const told = { kind, options, about, flag: expect.stringMatching(/^--/) as string };
  expect(json).toEqual({ ok: false, choice: told, choices: [told] });
});

test("gives a program the flag without its values", () => {
  const { json } = choicesResult([choice("tests", "trust"), choice("hooks", "trust")], false);
  expect(json).toMatchObject({ choices: [{ flag: "--tests" }, { flag: "--hooks" }] });
});

test("lists all open choices at once, in order", () => {
  const open = [
    choice("stale", "stale", { about: ["The code moved."], options: ["proceed", "rescan"] }),
    choice("tests", "trust"),
    choice("git", "confirm"),
  ];
  const { lines, json } = choicesResult(open, false);
  expect(lines).toEqual([
    "The code moved.",
    "What it is about.",
    "What it is about.",
    "Run it again with:",
    "  --on-stale proceed or --on-stale rescan",
    "  --tests trust, --tests none or --tests '<command>'",
    "  --no-git",
  ]);
  expect(json).toMatchObject({
    choice: { kind: "stale" },
    choices: [{ kind: "stale" }, { kind: "trust" }, { kind: "confirm" }],
  });
});
