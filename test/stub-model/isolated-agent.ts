import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { agentBinary } from "../support/agent-binaries.ts";
import type { AgentPackage } from "../support/agent-binaries.ts";
import type { Rule } from "./scenario.ts";
import { startStubModel } from "./start-stub-model.ts";
import type { StubModel } from "./start-stub-model.ts";

/** A real agent with a scripted model: its start command and an empty home folder. */
export type IsolatedAgent = {
  readonly program: string;
  readonly model: StubModel;
  /** URL of the model for the agent. */
  readonly url: string;
  readonly home: string;
  /** Variables for every agent; settings of the product are added. */
  readonly env: Readonly<Record<string, string>>;
  /** True if only the scripted model is reachable. */
  readonly isolated: boolean;
  close(): Promise<void>;
};

/** `isolate: false` for an agent in a sandbox, which prevents new networks. */
export type IsolationOptions = {
  readonly isolate?: boolean;
  /** Loopback address of the model without isolation. */
  readonly host?: string;
};

/** Any number: each isolated program has its own loopback device. */
const INSIDE_PORT = 4010;

/** opencode first installs a package for its plugins. Without a network, it would retry for more than a minute. */
const NO_RETRIES = "fetch-retries=0\n";

const LOOPBACK_ONLY = join(import.meta.dirname, "../agent-claude/loopback-only.mjs");

/**
 * Sets up an empty home folder, a scripted model and a start command for the agent. @throws if the agent is not
 * installed; call `agentBinary` first to skip.
 */
export async function isolatedAgent(
  agent: AgentPackage,
  rules: readonly Rule[],
  { isolate = true, host = "127.0.0.1" }: IsolationOptions = {},
): Promise<IsolatedAgent> {
  const binary = await agentBinary(agent);
  if (!binary.ok) throw new Error(binary.why);
  const folder = mkdtempSync(join(tmpdir(), `isdlc-${agent.name}-`));
  const [home, bin, temporary] = ["home", "bin", "tmp"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [home, bin, temporary]) mkdirSync(path);
  writeFileSync(join(home, ".npmrc"), NO_RETRIES);
  const program = join(bin, agent.bin);
  const isolated = isolate && canIsolate();
  const socket = join(folder, "model.sock");
  const model = await startStubModel(isolated ? { rules, socket } : { rules, host });
  if (isolated) writeFileSync(program, isolatingScript(binary.program, socket), { mode: 0o755 });
  else symlinkSync(binary.program, program);
  return {
    program,
    model,
    url: isolated ? `http://127.0.0.1:${INSIDE_PORT}` : model.url,
    home,
    env: {
      PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
      HOME: home,
      TMPDIR: temporary,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
    },
    isolated,
    close: async () => {
      await model.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Network namespaces need root and Linux. */
function canIsolate(): boolean {
  try {
    execFileSync("unshare", ["-n", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function isolatingScript(binary: string, socket: string): string {
  const words = [process.execPath, LOOPBACK_ONLY, socket, String(INSIDE_PORT), binary];
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  return `#!/bin/sh\nexec unshare -n ${quoted.join(" ")} "$@"\n`;
}
