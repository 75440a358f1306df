import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { speakingSettings } from "../../../../src/surfaces/mcp/host-settings.ts";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { type SessionHost, startSession } from "../../../support/session-host.ts";

/** A run at an open gate while the session that worked on the phase still runs. */
async function atOpenGate(): Promise<{ sandbox: Sandbox; session: SessionHost }> {
  const sandbox = await createSandbox();
  const [, command = ""] = sandbox.agent;
  await sandbox.script("add a greeting", "--supervised", "--agent", "session", "--reviewer-command", command);
  const session = await startSession(sandbox, "one");
  const { task } = await session.begin();
  for (const path of task.artifacts as string[]) sandbox.write(path, "# Plan\n");
  expect((await session.report(task.nonce)).turn).toBe("person");
  return { sandbox, session };
}

const gateIsOpen = async (sandbox: Sandbox): Promise<boolean> => {
  const events = await sandbox.events();
  return (await sandbox.status()).waiting?.kind === "gate" && !events.some(({ type }) => type === "gate.answered");
};

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

describe("open gate of a session", () => {
  let sandbox: Sandbox | null = null;
  afterEach(async () => {
    if (sandbox !== null) expect(await gateIsOpen(sandbox)).toBe(true);
    sandbox = null;
  });

  test("refuses the session's commands, even with an empty environment", async () => {
    const at = await atOpenGate();
    ({ sandbox } = at);
    expect(parsed(await at.session.isdlc("continue", "--json")).problem.code).toBe("ANSWERED_BY_AGENT");
    const clean = Object.entries(at.sandbox.env).map(([name, value]) => `${name}=${value}`);
    const argv = ["env", "-i", ...clean, process.execPath, await builtProgram(), "continue", "--json"];
    expect(parsed(await at.session.run(argv)).problem.code).toBe("ANSWERED_BY_AGENT");
  });

  test("refuses a detached terminal opened by the session", async () => {
    const at = await atOpenGate();
    ({ sandbox } = at);
    const out = join(at.sandbox.base, "said");
    const words = ["env", "-i", ...Object.entries(at.sandbox.env).map(([name, value]) => `${name}=${value}`)];
    const isdlc = [...words, process.execPath, await builtProgram(), "continue", "--json"].map(quote).join(" ");
    const loose = `(setsid script -qec ${quote(`${isdlc} > ${quote(out)} 2>&1 < /dev/tty`)} /dev/null > /dev/null 2>&1 &)`;
    await at.session.run(["sh", "-c", loose]);
    await vi.waitFor(
      () => expect(readFileSync(out, "utf8")).toMatch(/TERMINAL_SUSPICIOUS|NEEDS_PERSON|ANSWERED_BY_AGENT/),
      20_000,
    );
  });

  test("records nothing if the session calls the hook with a typed command", async () => {
    const at = await atOpenGate();
    ({ sandbox } = at);
    const hook = (await builtProgram()).replace(/isdlc\.cjs$/, "hook.cjs");
    for (const event of ["UserPromptSubmit", "UserPromptExpansion", "ElicitationResult"]) {
      const input = {
        hook_event_name: event,
        session_id: "one",
        prompt: "/isdlc:continue",
        command_name: "isdlc:continue",
      };
      const said = await at.session.run([process.execPath, hook, at.sandbox.root], JSON.stringify(input));
      expect(said.code).toBe(0);
    }
  });

  test("finds no person behind an MCP server started by the session", async () => {
    const at = await atOpenGate();
    ({ sandbox } = at);
    const call = (id: number, method: string, params: unknown) =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const hello = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "claude-code", version: "2.1.327" },
    };
    const typed = { name: "typed", arguments: { command: "isdlc:continue", args: "", source: "plugin" } };
    const input = `${call(1, "initialize", hello)}\n${call(2, "tools/call", typed)}\n`;
    const said = await at.session.run([process.execPath, await builtProgram(), "mcp"], input);
    expect(said.stdout).toMatch(/block/);
    expect(said.stdout).not.toMatch(/additionalContext/);
  });
});

describe("settings at the start of a session", () => {
  test.each<[string, unknown, boolean]>([
    ["nothing", {}, false],
    ["a hook of the user", { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "lint" }] }] } }, false],
    ["all hooks disabled", { disableAllHooks: true }, true],
    ["a hook that answers forms", { hooks: { Elicitation: [{ hooks: [] }] } }, true],
    ["a hook that calls tools", { hooks: { Stop: [{ hooks: [{ type: "mcp_tool", server: "x" }] }] } }, true],
    ["a hook on typed commands", { hooks: { UserPromptExpansion: [{ hooks: [] }] } }, true],
    ["invalid settings", [1], true],
  ])("classifies settings that could answer for the user: %s", async (_what, settings, speaks) => {
    const { root, env } = await createSandbox();
    mkdirSync(join(root, ".claude"), { recursive: true });
    writeFileSync(join(root, ".claude/settings.json"), JSON.stringify(settings));
    expect(speakingSettings(root, { ...env }) !== null).toBe(speaks);
  });
});
