import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { Environment } from "../process/agent-environment.ts";
import type { Sandbox } from "../process/sandboxed.ts";
import { startFoundProgram } from "../process/start-found-program.ts";
import { parseJson } from "./codex-line.ts";
import { tomlText } from "./toml-text.ts";

export type SettingsListing = {
  /** Program and arguments, without the command. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly sandbox: Sandbox | undefined;
};

const LISTING_TIMEOUT_SECONDS = 20;
const Servers = z.array(z.object({ name: z.string() }));

/**
 * Returns the setting that disables all MCP servers of the user: they run outside the sandbox that Codex puts around
 * its own commands. Codex has no switch for all of them and is asked for their names. Null if it does not list them.
 */
export async function withoutServers(
  { command, ...place }: SettingsListing,
  signal: AbortSignal,
): Promise<string | null> {
  const lines: string[] = [];
  const end = await startFoundProgram(
    {
      ...place,
      argv: [...command, "mcp", "list", "--json"],
      nonce: randomUUID(),
      stdin: "",
      silenceSeconds: LISTING_TIMEOUT_SECONDS,
      onLine: ({ text }) => lines.push(text),
    },
    AbortSignal.any([signal, AbortSignal.timeout(LISTING_TIMEOUT_SECONDS * 1000)]),
  );
  const listed = z.safeParse(Servers, parseJson(lines.join("\n")));
  if (end.ended !== "exit" || end.exitCode !== 0 || !listed.success) return null;
  return `mcp_servers={${listed.data.map(({ name }) => `${tomlText(name)}={enabled=false}`).join(",")}}`;
}
