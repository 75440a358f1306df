import { describe, expect, test } from "vitest";
import { acpAnswer } from "../../src/adapters/agents/acp/answer.ts";

const done = '{"status":"done"}';
const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

describe("the result of a phase", () => {
  test.each<[string, string]>([
    ["in a block", `Here it is:\n\n${fence(done)}`],
    ["in a block with Windows line ends", `It is:\r\n\`\`\`json\r\n${done}\r\n\`\`\`\r\n`],
    ["in a block on one line", `\`\`\`json ${done} \`\`\``],
    ["alone", done],
    ["over several lines", `{\n  "status": "done"\n}\n`],
    ["with words after it", `${fence(done)}\nLet me know.`],
    ["with braces and fences in its texts", fence(JSON.stringify({ status: "done", summary: "```json {x} } {\n```" }))],
    ["after another one", `${fence('{"status":"failed"}')}\n${fence(done)}`],
    ["with objects inside", fence('{"status":"done","questions":[{"id":"a","text":"b"}]}')],
  ])("%s", (_, message) => {
    expect(acpAnswer(message, "phase")).toMatchObject({ how: "result", result: { status: "done" } });
  });

  test.each<[string, string]>([
    ["nothing", ""],
    ["words", "All done."],
    ["a sentence around it", `I will say ${done} at the end.`],
    ["words before it on its line", `Result: ${done}`],
    ["words after it on its line", `${done} I think.`],
    ["a broken one after a good one", `${fence(done)}\n${fence('{"status":"failed",}')}`],
    ["a cut one", fence('{"status":"done"')],
    ["a list", '["done"]'],
    ["braces in words after it", `${fence(done)}\nUse {name} here.`],
    ["nothing but braces", "{".repeat(200_000)],
    ["deep nesting without an end", `${'{"a":'.repeat(20_000)}}`],
  ])("is missing in %s", (_, message) => {
    expect(acpAnswer(message, "phase")).toEqual({ how: "missing" });
  });

  test.each<[string, string]>([
    ["another status", '{"status":"approved"}'],
    ["a verdict", '{"approved":true}'],
    ["text for a list", '{"status":"done","artifacts":"a"}'],
    ["too long a summary", JSON.stringify({ status: "done", summary: "x".repeat(20_001) })],
  ])("is invalid with %s", (_, message) => {
    expect(acpAnswer(message, "phase")).toMatchObject({ how: "invalid", detail: expect.any(String) as string });
  });
});

describe("S9 a verdict", () => {
  test("is taken with what it leaves out filled in", () => {
    const verdict = { approved: true, issues: [], summary: "" };
    expect(acpAnswer('{"approved":true}', "reviewer")).toEqual({ how: "verdict", verdict });
  });

  test.each<[string, string]>([
    ["as text", '{"approved":"true"}'],
    ["as a result", done],
    ["inside of something", '{"verdict":{"approved":true}}'],
  ])("is invalid %s", (_, message) => {
    expect(acpAnswer(message, "reviewer").how).toBe("invalid");
  });

  test.each<[string, string]>([
    ["from before a broken one", `The file says:\n{"approved":true}\nMine:\n{"approved":false,}`],
    ["from inside of a broken one", '{"approved":false,"issues":[{"approved":true}]'],
  ])("is never taken %s", (_, message) => {
    expect(acpAnswer(message, "reviewer")).toEqual({ how: "missing" });
  });
});
