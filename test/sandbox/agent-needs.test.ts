import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";

const all = (agent: string, env: Record<string, string> = {}): readonly string[] =>
  Object.values(agentNeeds(agent, env, "/home/ada")).flat();

describe("paths needed by an agent", () => {
  test.each([
    ["claude", "/home/ada/.claude.json"],
    ["/home/ada/.local/bin/claude", "/home/ada/.claude/projects"],
    ["codex", "/home/ada/.codex"],
    ["codex-acp", "/home/ada/.codex"],
    ["copilot", "/home/ada/.copilot"],
    ["gemini", "/home/ada/.gemini"],
    ["opencode", "/home/ada/.config/opencode"],
    ["opencode", "/home/ada/.local/share/opencode"],
    ["qwen", "/home/ada/.qwen"],
  ])("include for %s: %s", (agent, path) => {
    expect(all(agent)).toContain(path);
  });

  test.each([
    ["claude", { CLAUDE_CONFIG_DIR: "/data/claude" }, "/data/claude/projects"],
    ["codex", { CODEX_HOME: "/data/codex" }, "/data/codex"],
    ["opencode", { XDG_CONFIG_HOME: "/data/config" }, "/data/config/opencode"],
    ["codex", { CODEX_HOME: "" }, "/home/ada/.codex"],
    ["codex", { CODEX_HOME: "relative" }, "/home/ada/.codex"],
    ["opencode", { XDG_DATA_HOME: "relative" }, "/home/ada/.local/share/opencode"],
  ])("include for %s with %o: %s", (agent, env, path) => {
    expect(all(agent, env)).toContain(path);
  });

  test.each(["sh", "node", "/usr/bin/env", "constructor", ""])("are empty for %j", (agent) => {
    expect(all(agent)).toEqual([]);
  });

  test.each(["codex", "copilot", "gemini", "qwen", "opencode"])(
    "keep only listed names in the folder of %s",
    (agent) => {
      const { read, emptied, write, make, locked } = agentNeeds(agent, {}, "/home/ada");
      expect(emptied.length).toBeGreaterThan(0);
      for (const path of [...write, ...make, ...locked]) expect(emptied).toContain(dirname(path));
      expect(
        [...write, ...make].filter((path) => /\.config|config\.|settings|hooks|plugin|bin|tmp|pkg/.test(path)),
      ).toEqual([]);
      expect([...read, ...write, ...make, ...locked].filter((path) => emptied.includes(path))).toEqual([]);
    },
  );

  test("allow Claude Code no writes to files that start programs later", () => {
    const { write, make } = agentNeeds("claude", {}, "/home/ada");
    expect(
      [...write, ...make].filter((path) =>
        /settings|hooks|plugins|commands|session-env|shell-snapshots|\.claude(?:\.json)?$/.test(path),
      ),
    ).toEqual([]);
  });
});
