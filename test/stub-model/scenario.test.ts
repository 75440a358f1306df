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

/** "rule/turn", or the reason why none was chosen. */
function chosen(among: Rule[], asked: ModelRequest): string {
  const choice = chooseTurn(among, asked);
  return choice.ok ? `${choice.chosen.rule}/${choice.chosen.turn}` : choice.why;
}

describe("turn derived from the history", () => {
  test.each<{ name: string; messages: Message[]; expected: string }>([
    { name: "the first request", messages: [user("DESIGN it")], expected: "design/0" },
    { name: "a repeated request", messages: [user("DESIGN it")], expected: "design/0" },
    {
      name: "a call",
      messages: [user("DESIGN"), says("", "toolu_rule0turn0_0_1"), answers("toolu_rule0turn0_0_1")],
      expected: "design/1",
    },
    { name: "a text answer", messages: [user("DESIGN"), says("hm"), user("go on")], expected: "design/1" },
    {
      name: "text in two messages as one answer",
      messages: [user("DESIGN"), says("a"), says("b")],
      expected: "design/1",
    },
    {
      name: "mixed calls and text",
      messages: [user("DESIGN"), says("a"), user("?"), says("", "rule0turn1_0_2"), answers("rule0turn1_0_2")],
      expected: "design/2",
    },
    {
      name: "a later prompt of another rule",
      messages: [user("DESIGN"), says("", "rule0turn0_0_1"), answers("rule0turn0_0_1"), says("x"), user("BUILD it")],
      expected: "build/0",
    },
    {
      name: "a repeated prompt",
      messages: [user("DESIGN"), says("a"), user("DESIGN")],
      expected: "design/0",
    },
    {
      name: "a request after the last turn",
      messages: [user("DESIGN"), says("", "rule0turn2_0_1"), answers("rule0turn2_0_1")],
      expected: 'rule "design" has no turn 3',
    },
    {
      name: "a request without a rule",
      messages: [user("SING")],
      expected: "no rule matches; the last prompt ends in: SING",
    },
    {
      name: "a prompt that does not match the pattern",
      messages: [user("please BUILD")],
      expected: "no rule matches; the last prompt ends in: please BUILD",
    },
  ])("is chosen or refused for $name", ({ messages, expected }) => {
    expect(chosen(rules, request(messages))).toBe(expected);
  });
});

test("starts a rule without a prompt at the first one and repeats its last turn", () => {
  const repeating: Rule[] = [{ name: "any", turns: [{ text: "0" }, { text: "1" }], past: "repeat" }];
  const history = [user("a"), says("0"), user("b"), says("1"), user("c"), says("1"), user("d")];
  expect(chosen(repeating, request(history))).toBe("any/1");
});

test("distinguishes agents by system text", () => {
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
  ])("get an automatic answer %s", (_, asked) => {
    expect(chosen(rules, asked)).toBe("side call/0");
  });

  test("can have separate rules", () => {
    const own: Rule[] = [...rules, { name: "title", when: { sideCall: true }, turns: [{ text: "Title" }] }];
    expect(chosen(own, aside)).toBe("title/0");
    expect(chosen(own, request([user("DESIGN")]))).toBe("design/0");
  });
});
