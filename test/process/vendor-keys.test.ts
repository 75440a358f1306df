import { expect, test } from "vitest";
import { withoutOtherKeys } from "../../src/adapters/process/vendor-keys.ts";

const env = { PATH: "/bin", ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g", OPENROUTER_API_KEY: "r" };
const keysOf = (agent: string, model?: string, named: readonly string[] = []) =>
  Object.keys(withoutOtherKeys({ agent, model, isNamed: (key) => named.includes(key) }, env)).filter((key) =>
    key.endsWith("_KEY"),
  );

test.each<[string, string | undefined, readonly string[], readonly string[]]>([
  ["claude", undefined, [], ["ANTHROPIC_API_KEY"]],
  ["claude", "openai/x", [], ["ANTHROPIC_API_KEY"]],
  ["codex", undefined, [], ["OPENAI_API_KEY"]],
  ["codex", undefined, ["OPENROUTER_API_KEY"], ["OPENAI_API_KEY", "OPENROUTER_API_KEY"]],
  ["gemini", undefined, [], ["GEMINI_API_KEY"]],
  ["copilot", undefined, [], []],
  ["opencode", "anthropic/claude-x", [], ["ANTHROPIC_API_KEY"]],
  ["opencode", "mine/x", [], Object.keys(env).slice(1)],
  ["opencode", undefined, [], Object.keys(env).slice(1)],
  ["command", undefined, [], Object.keys(env).slice(1)],
])("gives %s with the model %s and settings that name %j the keys %j [S11]", (...[agent, model, named, keys]) => {
  expect(keysOf(agent, model, named)).toEqual(keys);
});

test("keeps variables that are not vendor keys", () => {
  expect(withoutOtherKeys({ agent: "claude", model: undefined, isNamed: () => false }, env)).toMatchObject({
    PATH: "/bin",
  });
});
