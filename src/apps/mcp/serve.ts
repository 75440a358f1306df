import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { OWN_MARKERS } from "../../adapters/caller/agent-markers.ts";
import { createServer } from "./create-server.ts";

/** Serves one session over standard input and output until it closes them. Within an agent that a run started: nothing. */
export async function serve(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (OWN_MARKERS.some((name) => (env[name] ?? "") !== "")) return;
  const host = { cwd: env["CLAUDE_PROJECT_DIR"] ?? cwd, env, id: undefined };
  const server = createServer(host);
  const closed = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("error", () => resolve()));
  await server.connect(new StdioServerTransport());
  await closed;
  await server.close();
}
