import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Json, type Sandbox } from "../../../support/cli.ts";

/** A host that starts the server for its session, like a product. */
async function connect(sandbox: Sandbox, env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: "test-host", version: "1" });
  const transport = new StdioClientTransport({
    // The shell imitates the product: the session runs in it, without a person.
    command: "sh",
    args: ["-c", '"$0" "$@"; exit $?', process.execPath, await builtProgram(), "mcp"],
    cwd: sandbox.root,
    env: { ...sandbox.env, ...env },
    stderr: "inherit",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Starts a server like the Codex daemon does for each thread, under a shared parent process. */
async function connectThread(sandbox: Sandbox): Promise<Client> {
  const client = new Client({ name: "codex-mcp-client", version: "0.169.0" });
  const args = [await builtProgram(), "mcp"];
  const place = { cwd: sandbox.root, env: sandbox.env, stderr: "inherit" } as const;
  await client.connect(new StdioClientTransport({ command: process.execPath, args, ...place }));
  onTestFinished(() => client.close());
  return client;
}

async function startForSession(sandbox: Sandbox): Promise<void> {
  const [, command = ""] = sandbox.agent;
  const options = ["--supervised", "--agent", "session", "--reviewer-command", command];
  expect(await sandbox.script("add a greeting", ...options)).toMatchObject({ code: 0 });
}

const call = async (client: Client, name: string, input: Record<string, unknown> = {}): Promise<Json> =>
  client.callTool({ name, arguments: input });

const readData = (answer: Json): Json => answer._meta["isdlc/data"];

describe("MCP server of a session", () => {
  test("offers tools to read, work, report and ask, and none to answer gates", async () => {
    const client = await connect(await createSandbox());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["status", "begin", "report", "ask", "typed"]);
    for (const { name, inputSchema, annotations } of tools) {
      expect(inputSchema.type).toBe("object");
      expect(annotations?.readOnlyHint, name).toBe(name === "status");
    }
  });

  test("treats threads of a Codex daemon as sessions that take over from ended ones", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const [one, two] = [await connectThread(sandbox), await connectThread(sandbox)];
    const begin = (client: Client, threadId: string): Promise<Json> =>
      client.callTool({ name: "begin", arguments: {}, _meta: { threadId } }) as Promise<Json>;
    const { task } = readData(await begin(one, "thread-one"));
    expect(readData(await begin(one, "thread-one")).task.nonce).toBe(task.nonce);
    expect(readData(await begin(two, "thread-two")).problem).toMatchObject({
      code: "SESSION_HOLDS",
      session: "thread-one",
    });
    await one.close();
    await expect.poll(async () => readData(await begin(two, "thread-two")).task?.nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(readData(await begin(two, "thread-two")).task.nonce).not.toBe(task.nonce);
  });

  test("hands out a phase, accepts its report and waits for the person", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const client = await connect(sandbox);
    const begun = await call(client, "begin");
    const { task } = readData(begun);
    expect(begun.content[0].text).toContain(task.nonce);
    for (let calls = 0; calls < 3; calls++) await call(client, "begin");
    expect(readdirSync(join(sandbox.root, ".isdlc")).filter((name) => /^(?:lock|driver)\b/.test(name))).toEqual([]);
    for (const path of task.artifacts as string[]) sandbox.write(path, "# Plan\n");
    const seen: string[] = [];
    const reported = (await client.callTool(
      { name: "report", arguments: { nonce: task.nonce, summary: "Planned" } },
      undefined,
      { onprogress: ({ message }) => seen.push(message ?? "") },
    )) as Json;
    expect(readData(reported)).toMatchObject({ turn: "person" });
    const said: string = reported.content[0].text;
    expect(said).toContain("Only they decide");
    expect(said.indexOf("/isdlc:continue")).toBeGreaterThan(0);
    expect(said.indexOf("/isdlc:continue")).toBeLessThan(said.indexOf("  isdlc continue"));
    const typed = await call(client, "typed", { command: "isdlc:continue", source: "plugin" });
    expect(typed.content[0].text).toMatch(/block.*cannot verify that you typed it/);
    expect((await sandbox.status()).waiting.kind).toBe("gate");
  });

  test("passes questions to the person and returns the answers with the task", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const client = await connect(sandbox);
    const { task } = readData(await call(client, "begin"));
    const questions = [{ id: "tone", text: "Which tone?", choices: ["warm", "cold"] }];
    expect(readData(await call(client, "ask", { nonce: task.nonce, questions })).turn).toBe("person");
    await sandbox.person("answer", "--text", "warm", "--json");
    const again = readData(await call(client, "begin"));
    expect(again.task.prompt).toContain("warm");
  });

  test("refuses the host's tool if the model calls it", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const client = await connect(sandbox);
    const marked = { "claudecode/toolUseId": "toolu_1" };
    const answer = (await client.callTool({
      name: "typed",
      arguments: { command: "isdlc:cancel", args: "x", source: "plugin" },
      _meta: marked,
    })) as Json;
    expect(answer).toMatchObject({ isError: true });
    expect((await sandbox.status()).status).toBe("running");
  });

  test("returns errors with the next step", async () => {
    const sandbox = await createSandbox();
    const client = await connect(sandbox);
    expect((await call(client, "begin")).content[0].text).toMatch(/^NO_RUN: /);
    await startForSession(sandbox);
    expect((await call(client, "report", { nonce: "x", summary: "" })).content[0].text).toMatch(/^NOT_HELD: .*begin/);
    expect((await call(client, "report", { summary: 1 })).content[0].text).toMatch(/^The input cannot be used: /);
    await expect(call(client, "continue")).rejects.toThrow(/no tool/);
  });

  test("serves status, history, summary and documents, and no other file", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    const client = await connect(sandbox);
    const { task } = readData(await call(client, "begin"));
    for (const path of task.artifacts as string[]) sandbox.write(path, "# Plan\n");
    await call(client, "report", { nonce: task.nonce, summary: "Planned" });
    const read = async (uri: string): Promise<string> => {
      const { contents } = (await client.readResource({ uri })) as Json;
      return contents[0].text;
    };
    expect(JSON.parse(await read("isdlc://status"))).toMatchObject({ status: "waiting" });
    expect(await read("isdlc://summary")).toContain("# Phase Summary: Plan");
    expect(await read("isdlc://history")).toContain("Plan #1");
    expect(await read("isdlc://document/plan.md")).toBe("# Plan\n");
    for (const uri of ["isdlc://document/..%2f..%2fstate.json", "isdlc://document/../x", "file:///etc/passwd"])
      await expect(read(uri)).rejects.toThrow(/no resource/);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["next", "status"]);
    expect((await client.getPrompt({ name: "next" })).messages).toHaveLength(1);
  });

  test("continues the run after a cancelled call", async () => {
    const sandbox = await createSandbox();
    await startForSession(sandbox);
    sandbox.plan({ turns: { "implement reviewer": [{ hangs: true }, {}] } });
    const client = await connect(sandbox);
    const { task } = readData(await call(client, "begin"));
    for (const path of task.artifacts as string[]) sandbox.write(path, "# Plan\n");
    await call(client, "report", { nonce: task.nonce, summary: "Planned" });
    await sandbox.person("continue", "--no-run", "--json");
    const next = readData(await call(client, "begin")).task;
    sandbox.write("built.js", "1\n");
    const stop = new AbortController();
    const report = { name: "report", arguments: { nonce: next.nonce, summary: "Built" } };
    const waiting = client.callTool(report, undefined, { signal: stop.signal });
    waiting.catch(() => undefined); // awaited later
    await vi.waitFor(() => expect(sandbox.log().map(({ key }) => key)).toContain("implement reviewer"), 20_000);
    stop.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    let again = await call(client, "begin");
    while (String(again.content[0].text).startsWith("RUN_DRIVEN")) again = await call(client, "begin");
    expect(readData(again)).toMatchObject({ turn: "person" });
  });

  test("exits at once in an agent started by a run", async () => {
    const sandbox = await createSandbox();
    await expect(connect(sandbox, { ISDLC_NONCE: "n" })).rejects.toThrow(/closed/i);
  });
});
