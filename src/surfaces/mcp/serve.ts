import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { OWN_MARKERS } from "../../adapters/identity/agent-markers.ts";
import { createServer } from "./create-server.ts";

/** A longer message ends the server. Messages of a session are far shorter. */
const MAX_RPC_MESSAGE_BYTES = 4 * 1024 * 1024;
const MAX_REASON_LENGTH = 200; // characters

/**
 * Serves one session over standard input and output until they are closed. Serves nothing to an agent started by a
 * run.
 */
export async function serve(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (OWN_MARKERS.some((name) => (env[name] ?? "") !== "")) return;
  process.on("SIGUSR1", () => undefined); // otherwise Node opens its debugger, and any program could run code here
  const host = { cwd: env["CLAUDE_PROJECT_DIR"] ?? cwd, env, id: undefined };
  const server = createServer(host);
  const closed = new Promise<void>((resolve) => {
    Object.assign(server, { onclose: resolve, onerror: tell });
    process.stdin.once("end", resolve).once("error", () => resolve());
    process.stdout.once("error", () => resolve()); // the reader has exited
  });
  await server.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_RPC_MESSAGE_BYTES }),
  );
  await closed;
  await server.close();
}

function tell({ message }: Error): void {
  const [reason = ""] = message.split("\n");
  process.stderr.write(`isdlc: a message was passed over: ${reason.slice(0, MAX_REASON_LENGTH)}\n`);
}
