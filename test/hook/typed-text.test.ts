import { expect, test } from "vitest";
import { answerEvent } from "../../src/surfaces/hook/answer-event.ts";
import { splitTyped } from "../../src/surfaces/mcp/typed-commands.ts";

test.for<[string, readonly string[]]>([
  ["", []],
  ['"Add login" --supervised', ["Add login", "--supervised"]],
  ["'Add login' --tests trust", ["Add login", "--tests", "trust"]],
  ["Add  login", ["Add", "login"]],
  ["Don't log in", ["Don't", "log", "in"]],
  ['Say "hi"!', ["Say", '"hi"!']],
  ['"half', ['"half']],
  ['""', [""]],
])("splits %j like the user meant", ([text, words]) => {
  expect(splitTyped(text)).toEqual(words);
});

const marker = { wait: "plan#1/gate-9", writes: "nothing" };
const situation = { marker } as unknown as Parameters<typeof answerEvent>[0]; // Only these fields are read for a prompt.

test.for<[string, boolean]>([
  ["What does it say?", true],
  ["/isdlc:continue", false],
])("reminds of the open gate after %j: %s", ([prompt, reminds]) => {
  const { out } = answerEvent(situation, { hook_event_name: "UserPromptSubmit", prompt });
  expect(JSON.stringify(out).includes("Write nothing")).toBe(reminds);
});
