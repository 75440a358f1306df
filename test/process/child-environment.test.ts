import { expect, test } from "vitest";
import { agentVariables } from "../../src/adapters/process/agent-variables.ts";
import { FOR_AGENTS, FOR_GIT_CHANGES, FOR_TESTS, pickVariables } from "../../src/adapters/process/child-environment.ts";

test.each<[string, readonly string[], readonly string[]]>([
  ["returns a variable by name", ["A"], ["A"]],
  ["ignores the prefix of a name", ["A_"], []],
  ["returns variables by prefix with *", ["A_*"], ["A_B", "A_C"]],
  ["returns a proxy in lower case, like curl", ["HTTP_PROXY"], ["http_proxy"]],
  ["ignores variables of isdlc by name", ["ISDLC_OPERATOR_TOKEN"], []],
  ["ignores variables of isdlc with *", ["*"], ["A", "A_B", "A_C", "http_proxy"]],
])("%s", (_, names, kept) => {
  const env = {
    A: "1",
    A_B: "2",
    A_C: "3",
    http_proxy: "4",
    ISDLC_OPERATOR_TOKEN: "5",
    Isdlc_Nonce: "6",
    D: undefined,
  };
  expect(Object.keys(pickVariables(env, names))).toEqual(kept);
});

test.each([
  ["tests", FOR_TESTS],
  ["git", FOR_GIT_CHANGES],
  ["agents", FOR_AGENTS],
])("gives %s no variable that loads code or is not named", (_, names) => {
  const env = Object.fromEntries(
    ["NODE_OPTIONS", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "GIT_SSH_COMMAND", "DATABASE_URL", "npm_config_x"].map(
      (name) => [name, "1"],
    ),
  );
  expect(pickVariables(env, names)).toEqual({});
});

const keys = {
  HOME: "/home/p",
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  GEMINI_API_KEY: "g",
  COPILOT_MODEL: "c",
  AWS_PROFILE: "w",
  NAMED_KEY: "n",
  SENTRY_TOKEN: "s",
};

test.each<[string, string | undefined, readonly string[]]>([
  ["claude", undefined, ["HOME", "ANTHROPIC_API_KEY", "AWS_PROFILE"]],
  ["codex", undefined, ["HOME", "OPENAI_API_KEY", "NAMED_KEY"]],
  ["gemini", undefined, ["HOME", "GEMINI_API_KEY"]],
  ["copilot", undefined, ["HOME", "COPILOT_MODEL"]],
  ["opencode", undefined, ["HOME", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "AWS_PROFILE"]],
  ["opencode", "openai/gpt", ["HOME", "OPENAI_API_KEY", "AWS_PROFILE"]],
  ["command", undefined, ["HOME", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "COPILOT_MODEL"]],
])("gives %s with the model %s its own keys and those the user allows [S11]", (agent, model, kept) => {
  const holder = { agent, model, isNamed: (name: string) => agent === "codex" && name === "NAMED_KEY" };
  expect(Object.keys(agentVariables(holder, keys, []))).toEqual(kept);
  expect(Object.keys(agentVariables(holder, keys, ["SENTRY_*"]))).toEqual([...kept, "SENTRY_TOKEN"]);
});
