import { describe, expect, test } from "vitest";
import { chooseTurn } from "./scenario.ts";
import type { Message, ModelRequest, Rule } from "./scenario.ts";

const user = (text: string): Message => ({ role: "user", text, callIds: [] });
const says = (text: string, ...callIds: string[]): Message => ({ role: "assistant", text, callIds });
const answers = (...callIds: string[]): Message => ({ role: "tool", text: "ok", callIds });

const request = (messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "any",
  stream: true,
  system: "You design.",
  messages,
  tools: ["Write"],
  ...more,
});

const turns = [{ text: "0" }, { text: "1" }, { text: "2" }];
const rules: Rule[] = [
  { name: "design", when: { prompt: "DESIGN" }, turns },
  { name: "build", when: { prompt: /^BUILD/ }, turns },
];

/** "rule/turn", or the reason why there is none. */
function chosen(among: Rule[], asked: ModelRequest): string {
  const choice = chooseTurn(among, asked);
  return choice.ok ? `${choice.chosen.rule}/${choice.chosen.turn}` : choice.why;
}

describe("the turn follows from the history alone", () => {
  test.each<{ name: string; messages: Message[]; expected: string }>([
    { name: "first request", messages: [user("DESIGN it")], expected: "design/0" },
    { name: "the same request again", messages: [user("DESIGN it")], expected: "design/0" },
    {
      name: "after a call",
      messages: [user("DESIGN"), says("", "toolu_rule0turn0_0_1"), answers("toolu_rule0turn0_0_1")],
      expected: "design/1",
    },
    { name: "after text", messages: [user("DESIGN"), says("hm"), user("go on")], expected: "design/1" },
    {
      name: "text in two messages is one answer",
      messages: [user("DESIGN"), says("a"), says("b")],
      expected: "design/1",
    },
    {
      name: "calls and text mixed",
      messages: [user("DESIGN"), says("a"), user("?"), says("", "rule0turn1_0_2"), answers("rule0turn1_0_2")],
      expected: "design/2",
    },
    {
      name: "a later prompt takes over",
      messages: [user("DESIGN"), says("", "rule0turn0_0_1"), answers("rule0turn0_0_1"), says("x"), user("BUILD it")],
      expected: "build/0",
    },
    {
      name: "the prompt again starts over",
      messages: [user("DESIGN"), says("a"), user("DESIGN")],
      expected: "design/0",
    },
    {
      name: "past the last turn",
      messages: [user("DESIGN"), says("", "rule0turn2_0_1"), answers("rule0turn2_0_1")],
      expected: 'rule "design" has no turn 3',
    },
    { name: "no rule", messages: [user("SING")], expected: "no rule matches; the last prompt ends in: SING" },
    {
      name: "a pattern must match",
      messages: [user("please BUILD")],
      expected: "no rule matches; the last prompt ends in: please BUILD",
    },
  ])("$name", ({ messages, expected }) => {
    expect(chosen(rules, request(messages))).toBe(expected);
  });
});

test("a rule without a prompt hangs on the first one, and may repeat its last turn", () => {
  const repeating: Rule[] = [{ name: "any", turns: [{ text: "0" }, { text: "1" }], past: "repeat" }];
  const history = [user("a"), says("0"), user("b"), says("1"), user("c"), says("1"), user("d")];
  expect(chosen(repeating, request(history))).toBe("any/1");
});

test("the system text chooses between agents of one conversation", () => {
  const byRole: Rule[] = [
    { name: "reviewer", when: { system: "You review." }, turns },
    { name: "designer", when: { system: "You design." }, turns },
  ];
  expect(chosen(byRole, request([user("x")]))).toBe("designer/0");
});

describe("side calls", () => {
  const aside = request([user("DESIGN: give it a title")], { tools: [] });
  const suggestion = request([user("DESIGN"), says("done"), user("[SUGGESTION MODE: what next?]")]);

  test.each([
    ["without tools", aside],
    ["in suggestion mode", suggestion],
  ])("%s are answered by themselves", (_, asked) => {
    expect(chosen(rules, asked)).toBe("side call/0");
  });

  test("have rules of their own", () => {
    const own: Rule[] = [...rules, { name: "title", when: { sideCall: true }, turns: [{ text: "Title" }] }];
    expect(chosen(own, aside)).toBe("title/0");
    expect(chosen(own, request([user("DESIGN")]))).toBe("design/0");
  });
});
