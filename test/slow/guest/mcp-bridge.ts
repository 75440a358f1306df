import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import type { Sandbox } from "../../support/cli.ts";

/** Forwards the messages of each HTTP session unchanged to a separate server on standard streams, and back. */
export async function mcpOverHttp(sandbox: Sandbox): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const program = await builtProgram();
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const { root: cwd, env } = sandbox;
    const inner = new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], cwd, env });
    const outer = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, outer),
    });
    const onmessage = (message: JSONRPCMessage) => void inner.send(message);
    Object.assign(outer, { onmessage, onclose: () => void inner.close() });
    Object.assign(inner, { onmessage: (message: JSONRPCMessage) => void outer.send(message) });
    await inner.start();
    await outer.start();
    return outer;
  };
  const server = createServer((request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    const session = known === undefined ? begin() : Promise.resolve(known);
    void session.then((transport) => transport.handleRequest(request, response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const session of sessions.values()) await session.close();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on a port, not on a pipe
}
