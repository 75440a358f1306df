import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Json } from "../../../support/cli.ts";
import { readCpuSeconds, readEndedCpuSeconds, expectWithinSecond } from "../../../support/cpu-time.ts";

type ServerProcess = {
  /** Sends a line unchanged, without waiting for an answer. */
  send(line: string | Buffer): void;
  /** Sends a request and returns its answer. */
  ask(method: string, params?: unknown): Promise<Json>;
  readonly ended: Promise<number | null>;
  /** Seconds of CPU used since it was ready. Also works after its end. */
  used(): number;
  stderr(): string;
  /** Closes its output. */
  hangUp(): void;
  close(): void;
};

async function serve(): Promise<ServerProcess> {
  const { root, env } = await createSandbox({ git: false });
  const program = await builtProgram();
  const earlier = readEndedCpuSeconds();
  const child = spawn(process.execPath, [program, "mcp"], { cwd: root, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const answers = new Map<number, (answer: Json) => void>();
  let [rest, said, last] = ["", "", 1000];
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer: Json = JSON.parse(line);
      answers.get(answer.id)?.(answer);
    }
  });
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  child.stdin.on("error", () => undefined); // it may exit before it has read everything
  const ended = once(child, "close").then(([code]) => code as number | null);
  const ask = (method: string, params: unknown = {}): Promise<Json> => {
    const id = ++last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => answers.set(id, resolve));
  };
  await ask("ping");
  const ready = readCpuSeconds(child.pid ?? 0);
  return {
    ask,
    used: () => (child.exitCode === null ? readCpuSeconds(child.pid ?? 0) : readEndedCpuSeconds() - earlier) - ready,
    send: (line) => void child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")])),
    ended,
    stderr: () => said,
    hangUp: () => void child.stdout.destroy(),
    close: () => void child.stdin.end(),
  };
}

const hello = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: "test-host", version: "1" },
});

describe("MCP server after unexpected input", () => {
  test.for<[string, string | Buffer]>([
    ["nothing", ""],
    ["invalid JSON", "nonsense"],
    ["half a message", '{"jsonrpc":"2.0","id":1'],
    ["JSON without a message", "[]"],
    ["null", "null"],
    ["an unsupported version of JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ["200,000 brackets", "[".repeat(200_000)],
    ["zero bytes", Buffer.alloc(1000)],
    ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x80, 0xc0])],
    ["3 MB on one line", Buffer.alloc(3 * 1024 * 1024, 0x20)],
    ["an unexpected response", '{"jsonrpc":"2.0","id":99,"result":{}}'],
    ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/tomorrow"}'],
  ])("answers within a second of CPU after %s", async ([, line]) => {
    const served = await serve();
    served.send(line);
    expect(await served.ask("initialize", hello("2025-06-18"))).toMatchObject({ result: { serverInfo: {} } });
    expectWithinSecond(served.used());
    served.close();
    expect(await served.ended).toBe(0);
  });

  test("answers within a second of CPU after any text", async () => {
    const served = await serve();
    const anything = fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.base64String()), async (line) => {
      const before = served.used();
      served.send(line.replaceAll("\n", " "));
      expect(await served.ask("ping")).toMatchObject({ result: {} });
      expectWithinSecond(served.used() - before);
    });
    await fc.assert(anything, { numRuns: 300 });
    served.close();
    expect(await served.ended).toBe(0);
  });
});

describe("unknown request", () => {
  test.for<[string, string, unknown, unknown]>([
    ["a future protocol version", "initialize", hello("9999-01-01"), { result: { protocolVersion: "2025-11-25" } }],
    ["an invalid protocol version", "initialize", hello(7), { error: { code: expect.any(Number) } }],
    ["an unknown method", "tomorrow", {}, { error: { code: -32601 } }],
    ["an unknown tool", "tools/call", { name: "approve" }, { error: { code: -32602 } }],
    ["tool input of the wrong type", "tools/call", { name: "report", arguments: "x" }, { error: {} }],
    ["a call without a tool name", "tools/call", {}, { error: {} }],
    ["an unknown resource", "resources/read", { uri: "isdlc://../../etc/passwd" }, { error: { code: -32602 } }],
    ["an unknown prompt", "prompts/get", { name: "__proto__" }, { error: { code: -32602 } }],
  ])("returns a defined answer for %s", async ([, method, params, expected]) => {
    const served = await serve();
    expect(await served.ask(method, params)).toMatchObject(expected as object);
    expectWithinSecond(served.used());
    expect(await served.ask("ping")).toMatchObject({ result: {} });
  });
});

describe("end of the MCP server", () => {
  test("exits with an error message after an oversized message", async () => {
    const served = await serve();
    served.send(Buffer.alloc(50 * 1024 * 1024, 0x20));
    expect(await served.ended).toBe(0);
    expectWithinSecond(served.used());
    expect(served.stderr()).toContain("exceeded maximum size");
  });

  test("exits if its output is closed", async () => {
    const served = await serve();
    served.hangUp();
    void served.ask("ping");
    expect(await served.ended).toBe(0);
    expectWithinSecond(served.used());
    expect(served.stderr()).toBe("");
  });

  test("exits if its input is closed", async () => {
    const served = await serve();
    served.close();
    expect(await served.ended).toBe(0);
    expectWithinSecond(served.used());
  });
});
