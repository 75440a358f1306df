import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentPlan, createSandbox, type Sandbox, type SandboxOptions } from "../../support/cli.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";

export type Home = { readonly sandbox: Sandbox; readonly terminal: Terminal };

export type HomeOptions = SandboxOptions & TerminalOptions & { readonly plan?: AgentPlan };

/** A user with a repository, an agent in their settings, and a terminal. */
export async function atHome({ plan = {}, ...options }: HomeOptions = {}): Promise<Home> {
  const sandbox = await createSandbox(options);
  sandbox.plan(plan);
  const [, command = ""] = sandbox.agent;
  writeFileSync(join(sandbox.config, "config.json"), JSON.stringify({ "agent-command": command }));
  return { sandbox, terminal: await openTerminal(sandbox, options) };
}

/** The user at the gate after the plan of a supervised change. */
export async function atFirstGate(options: HomeOptions = {}): Promise<Home> {
  const home = await atHome(options);
  home.terminal.isdlc('"add greeting" --supervised');
  await home.terminal.shows(/Your choice \(C R D (?:X )?V E T Q\):/);
  return home;
}

export const PROMPT = "Your choice (C R D V E T Q):";
