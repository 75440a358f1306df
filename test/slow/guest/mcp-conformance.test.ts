import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { agentBinary, conformancePackage, inspectorPackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, type Json, type Sandbox } from "../../support/cli.ts";
import { mcpOverHttp } from "./mcp-bridge.ts";

const run = promisify(execFile);
const [conformance, inspector] = await Promise.all([agentBinary(conformancePackage), agentBinary(inspectorPackage)]);

/** Scenarios that need only the protocol. All others call tools of the suite's example server. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];

describe.skipIf(!conformance.ok)("MCP conformance suite", () => {
  test.for(SCENARIOS)("passes %s", async (scenario) => {
    const url = await mcpOverHttp(await createSandbox());
    const args = ["server", "--url", url, "--scenario", scenario];
    const { stdout } = await run(conformance.ok ? conformance.program : "", args);
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  });

  test("fails for a server that lacks a scenario's tool", async () => {
    const url = await mcpOverHttp(await createSandbox());
    const args = ["server", "--url", url, "--scenario", "tools-call-image"];
    await expect(run(conformance.ok ? conformance.program : "", args)).rejects.toThrow();
  });
});

describe.skipIf(!inspector.ok)("MCP inspector", () => {
  /** An open run with a phase for a session. */
  async function openRun(): Promise<Sandbox> {
    const sandbox = await createSandbox();
    const [, command = ""] = sandbox.agent;
    await sandbox.script("add a greeting", "--supervised", "--agent", "session", "--reviewer-command", command);
    return sandbox;
  }

  async function inspect({ root, env }: Sandbox, ...args: string[]): Promise<Json> {
    const server = [process.execPath, await builtProgram(), "mcp"];
    const program = inspector.ok ? inspector.program : "";
    const { stdout } = await run(program, ["--cli", ...server, ...args], { cwd: root, env: { ...env } });
    return JSON.parse(stdout);
  }

  test("lists tools, resources and prompts, and reads and calls them", async () => {
    const sandbox = await openRun();
    const { tools } = await inspect(sandbox, "--method", "tools/list");
    expect(tools.map(({ name }: Json) => name)).toContain("begin");
    const status = await inspect(sandbox, "--method", "tools/call", "--tool-name", "status");
    expect(status.content[0].text).toContain("plan");
    const { resources } = await inspect(sandbox, "--method", "resources/list");
    expect(resources.map(({ uri }: Json) => uri)).toContain("isdlc://status");
    const read = await inspect(sandbox, "--method", "resources/read", "--uri", "isdlc://status");
    expect(JSON.parse(read.contents[0].text)).toMatchObject({ current: "plan" });
    const { prompts } = await inspect(sandbox, "--method", "prompts/list");
    expect(prompts.map(({ name }: Json) => name)).toEqual(["next", "status"]);
  });
});
