import { describe, expect, test } from "vitest";
import { acpAnswer } from "../../src/adapters/agents/acp/answer.ts";

const done = '{"status":"done"}';
const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

describe("result of a phase", () => {
  test.each<[string, string]>([
    ["from a block", `Here it is:\n\n${fence(done)}`],
    ["from a block with Windows line endings", `It is:\r\n\`\`\`json\r\n${done}\r\n\`\`\`\r\n`],
    ["from a block on one line", `\`\`\`json ${done} \`\`\``],
    ["without a block", done],
    ["from several lines", `{\n  "status": "done"\n}\n`],
    ["before further text", `${fence(done)}\nLet me know.`],
    ["with braces and fences in its text", fence(JSON.stringify({ status: "done", summary: "```json {x} } {\n```" }))],
    ["after an earlier one", `${fence('{"status":"failed"}')}\n${fence(done)}`],
    ["with nested objects", fence('{"status":"done","questions":[{"id":"a","text":"b"}]}')],
  ])("is read %s", (_, message) => {
    expect(acpAnswer(message, "phase")).toMatchObject({ how: "result", result: { status: "done" } });
  });

  test.each<[string, string]>([
    ["an empty message", ""],
    ["plain text", "All done."],
    ["a sentence that contains it", `I will say ${done} at the end.`],
    ["a line with text before it", `Result: ${done}`],
    ["a line with text after it", `${done} I think.`],
    ["an invalid result after a valid one", `${fence(done)}\n${fence('{"status":"failed",}')}`],
    ["a truncated result", fence('{"status":"done"')],
    ["a list", '["done"]'],
    ["a message that ends with text in braces", `${fence(done)}\nUse {name} here.`],
    ["only braces", "{".repeat(200_000)],
    ["unclosed deep nesting", `${'{"a":'.repeat(20_000)}}`],
  ])("is not read from %s", (_, message) => {
    expect(acpAnswer(message, "phase")).toEqual({ how: "missing" });
  });

  test.each<[string, string]>([
    ["an unknown status", '{"status":"approved"}'],
    ["a verdict", '{"approved":true}'],
    ["text instead of a list", '{"status":"done","artifacts":"a"}'],
    ["an oversized summary", JSON.stringify({ status: "done", summary: "x".repeat(20_001) })],
  ])("is invalid with %s", (_, message) => {
    expect(acpAnswer(message, "phase")).toMatchObject({ how: "invalid", detail: expect.any(String) as string });
  });
});

describe("verdict of a reviewer [S9]", () => {
  test("is read with defaults for missing fields", () => {
    const verdict = { approved: true, issues: [], summary: "" };
    expect(acpAnswer('{"approved":true}', "reviewer")).toEqual({ how: "verdict", verdict });
  });

  test.each<[string, string]>([
    ["as text", '{"approved":"true"}'],
    ["as a result", done],
    ["inside another object", '{"verdict":{"approved":true}}'],
  ])("is invalid %s", (_, message) => {
    expect(acpAnswer(message, "reviewer").how).toBe("invalid");
  });

  test.each<[string, string]>([
    ["before an invalid one", `The file says:\n{"approved":true}\nMine:\n{"approved":false,}`],
    ["inside an invalid one", '{"approved":false,"issues":[{"approved":true}]'],
  ])("is missing if it appears only %s", (_, message) => {
    expect(acpAnswer(message, "reviewer")).toEqual({ how: "missing" });
  });
});
