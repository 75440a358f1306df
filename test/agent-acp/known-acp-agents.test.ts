import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAcpBackend } from "../../src/adapters/agents/acp/backend.ts";
import {
  ACP_AGENT_NAMES,
  acpEnvironment,
  isRepositoryHeld,
  knownAcpAgent,
} from "../../src/adapters/agents/acp/known-agents.ts";
import { createBackend } from "../../src/compose/create-backend.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend } from "../agent-claude/run-backend.ts";
import { runFake } from "./run-fake-acp.ts";

test.each([null, "sdk-0"])(
  "communicates with an agent built with the protocol's library (session %s)",
  async (session) => {
    const argv = [process.execPath, join(import.meta.dirname, "sdk-agent.mjs")];
    const backend = createAcpBackend({ name: "sdk", argv, env: process.env, mode: { read: null, write: "plan" } });
    const { end, progress } = await runBackend(backend, agentTask(import.meta.dirname, { session }));
    const id = session ?? "sdk-1";
    expect(end).toMatchObject({ how: "result", result: { summary: `${id} allow_once` }, session: id });
    expect(progress).toEqual(["Edit a.ts"]);
  },
);

test("lists the documented agents", () => {
  expect(ACP_AGENT_NAMES).toEqual(["gemini", "opencode", "copilot", "qwen", "claude-acp", "codex-acp"]);
  expect([knownAcpAgent("constructor"), knownAcpAgent("claude")]).toEqual([null, null]);
});

test("trusts only agents that start no programs of the repository [S4, S9]", () => {
  const held = ACP_AGENT_NAMES.filter((name) => knownAcpAgent(name)?.repositoryHeld);
  expect(held).toEqual(["gemini", "claude-acp"]);
  const readOnly = ACP_AGENT_NAMES.filter((name) => knownAcpAgent(name)?.traits.readOnlyHolds);
  expect(readOnly).toEqual(["gemini"]);
  expect(["claude", "codex", "acp", "command"].map(isRepositoryHeld)).toEqual([true, true, true, true]);
});

test.each(["opencode", "copilot", "qwen", "codex-acp"])(
  "refuses to start %s without a sandbox [S4, S9]",
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), "isdlc-unheld-"));
    const program = knownAcpAgent(name)?.argv[0] ?? "";
    const mark = join(folder, "started");
    writeFileSync(join(folder, program), `#!/bin/sh\n: >"${mark}"\n`, { mode: 0o755 });
    const started = async (sandbox?: (argv: readonly string[]) => readonly string[]) => {
      const backend = createBackend({ name, argv: null }, { PATH: folder }, { sandbox });
      const { end } = await runBackend(backend, agentTask(folder));
      return { end, ran: existsSync(mark) };
    };
    const unsandboxed = await started();
    const detail = expect.stringContaining("only in a sandbox") as string;
    expect(unsandboxed).toMatchObject({
      ran: false,
      end: { how: "failed", reason: "not_started", detail, again: false },
    });
    expect((await started((argv) => argv)).ran).toBe(true);
    rmSync(folder, { recursive: true });
  },
);

test.each(ACP_AGENT_NAMES)("names the install command if %s is missing", async (name) => {
  const backend = createBackend({ name, argv: ["--more"] }, { PATH: "/nowhere" });
  expect(backend.name).toBe(name);
  const install = knownAcpAgent(name)?.help.install ?? "";
  expect(install).toMatch(/^npm install -g \S+$/);
  const detail = expect.stringContaining(install) as string;
  expect(await backend.probe()).toEqual({ code: "AGENT_MISSING", agent: name, detail });
});

test("includes the user's arguments in the digest", () => {
  const digest = (argv: string[] | null) => createBackend({ name: "gemini", argv }, {}).digest;
  expect(digest(["-m", "gemini-2.5-pro"])).not.toBe(digest(null));
});

test("starts an unknown agent with the given command", async () => {
  const argv = [process.execPath, join(import.meta.dirname, "sdk-agent.mjs")];
  const backend = createBackend({ name: "acp", argv }, process.env);
  expect((await runBackend(backend, agentTask(import.meta.dirname))).end.how).toBe("result");
});

test("enforces restricting settings over the user's and keeps others", () => {
  const known = knownAcpAgent("opencode");
  const own = { OPENCODE_PERMISSION: "{}", OPENCODE_CONFIG_CONTENT: "{}", OTHER: "1" };
  const env = known && acpEnvironment(known, own);
  expect(env).toMatchObject({ OPENCODE_CONFIG_CONTENT: "{}", OTHER: "1", OPENCODE_DISABLE_PROJECT_CONFIG: "1" });
  expect(env?.["OPENCODE_PERMISSION"]).toContain('"*":"ask"');
});

test.each([
  [-32000, "Sign in (Run it.)"],
  [401, "Sign in (Run it.)"],
  [500, "Sign in"],
])("translates error code %s of an agent to %s", async (code, detail) => {
  const errors = { "session/new": { code, message: "Sign in" } };
  const help = { install: "x", signIn: "Run it." };
  expect((await runFake({ errors }, {}, { help })).end).toMatchObject({ how: "failed", detail });
});
