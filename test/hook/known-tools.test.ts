import { describe, expect, test } from "vitest";
import { refuseTool } from "../../src/surfaces/hook/answer-event.ts";
import { isKnownTool, toolKind } from "../../src/surfaces/hook/known-tools.ts";
import type { Marker } from "../../src/surfaces/hook/marker.ts";

const root = "/work/tree";
const home = "/home/ada";
const item = "docs/requirements/REQ-0001-login";
const marker: Marker = {
  run: "20261116-010000000-aaaa",
  phase: "01-requirements",
  item,
  writes: "item",
  wait: null,
  session: "s1",
  outputs: [],
  later: [`${item}/design.md`],
};

function tool(name: string, input: Readonly<Record<string, unknown>>, change: Partial<Marker> | null = {}) {
  const closed = () => [`${home}/.config/isdlc`, `${home}/.codex`];
  const place = { root, cwd: root, home, closed, realpath: (path: string) => path };
  const event = { hook_event_name: "PreToolUse", tool_name: name, tool_input: input, cwd: root };
  return refuseTool({ ...place, marker: change === null ? null : { ...marker, ...change } }, event);
}

describe("tool unknown to the guard", () => {
  const unknown = (input: Readonly<Record<string, unknown>>, change: Partial<Marker> | null = { writes: "tree" }) =>
    tool("mcp__other__act", input, change);

  test.each<[string, Partial<Marker> | null]>([
    ["at an open gate", { wait: "gate" }],
    ["while writing is forbidden", { writes: "nothing" }],
    ["if the run is unreadable", null],
  ])("is denied %s with any input", (_when, change) => {
    expect(unknown({}, change)).toContain("mcp__other__act may change something");
  });

  test.each<[string, unknown]>([
    ["a command of the user", "isdlc continue"],
    ["a command that commits", "git commit -m x"],
    ["a command that writes outside the phase's scope", "cat a > .isdlc/state.json"],
    ["a URL", "see http://127.0.0.1:4321/"],
    ["a path of isdlc", ".isdlc/state.json"],
    ["a path in a list", { files: [{ name: `${home}/.codex/config.toml` }] }],
    ["a path as a key", { ".git/config": "x" }],
    ["a patch", "*** Begin Patch\n*** Update File: .git/config\n@@\n-a\n+b\n*** End Patch"],
  ])("is denied in a phase if its input has %s", (_what, value) => {
    expect(unknown({ value })).toContain("mcp__other__act may change something: ");
  });

  test("is denied for a path outside the current phase's scope", () => {
    expect(unknown({ value: "src/a.ts" }, { writes: "item" })).toContain("may write only below");
    expect(unknown({ value: `${item}/design.md` }, { writes: "item" })).toContain("belongs to a later phase");
  });

  test.each<[string, unknown]>([
    ["plain words", "Add a greeting to the page"],
    ["a number", 7],
    ["a file of the phase", "src/a.ts"],
  ])("is allowed in a phase if its input has %s", (_what, value) => expect(unknown({ value })).toBeNull());

  test("is denied if its input is nested too deeply", () => {
    let value: unknown = "x";
    for (let depth = 0; depth < 30; depth++) value = [value];
    expect(unknown({ value })).toContain("may change something");
  });
});

test("treats the monitor of Claude Code as a shell", () => {
  expect(tool("Monitor", { command: "echo x > src/a.ts" }, { wait: "gate" })).toContain("waits for the person");
  expect(tool("Monitor", { command: "git commit -am x" })).toContain("git commit");
});

test.each(["mcp__plugin_isdlc_isdlc__typed", "mcp__isdlc__typed", "mcp_isdlc_typed", "isdlc_typed"])(
  "denies the host's tool %s to a model",
  (name) => expect(tool(name, {})).toContain("only the host may call this"),
);

test.each(["mcp__plugin_isdlc_isdlc__begin", "mcp__isdlc__report", "mcp_isdlc_ask", "isdlc_status"])(
  "allows the session's own tool %s at a gate",
  (name) => expect(tool(name, { summary: "see .isdlc/state.json" }, { wait: "gate" })).toBeNull(),
);

test("treats a name that no product uses as unknown", () => {
  expect(["mcp__other__act", "Shell2", "constructor", ""].filter(isKnownTool)).toEqual([]);
  expect(toolKind("constructor")).toBe("unknown");
});
