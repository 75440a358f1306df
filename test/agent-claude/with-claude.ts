import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Rule } from "../stub-model/scenario.ts";
import { startStubModel } from "../stub-model/start-stub-model.ts";
import { agentBinary, claudePackage } from "../support/agent-binaries.ts";
import type { StubModel } from "../stub-model/start-stub-model.ts";

/** A real Claude Code that talks to a scripted model. `env` is its complete environment, with `claude` in PATH. */
export type ClaudeSetup = {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: StubModel;
  /** True if only the scripted model is reachable. */
  readonly isolated: boolean;
  close(): Promise<void>;
};

/** Any number: each isolated program has its own loopback device. */
const INSIDE_PORT = 4010;

/**
 * Sets up an empty home folder, a scripted model and a start command for that version of Claude Code. @throws if
 * the version is not installed; call `agentBinary` first to skip.
 */
export async function withClaude(version: string, rules: readonly Rule[]): Promise<ClaudeSetup> {
  const binary = await agentBinary(claudePackage(version));
  if (!binary.ok) throw new Error(binary.why);
  const folder = mkdtempSync(join(tmpdir(), "isdlc-claude-"));
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  mkdirSync(home);
  mkdirSync(bin);
  const program = join(bin, "claude");
  const isolated = canIsolate();
  const socket = join(folder, "model.sock");
  const model = await startStubModel(isolated ? { rules, socket } : { rules });
  if (isolated) writeFileSync(program, isolatingScript(binary.program, socket), { mode: 0o755 });
  else symlinkSync(binary.program, program);
  const env = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    TMPDIR: folder,
    CLAUDE_CODE_TMPDIR: folder,
    ANTHROPIC_BASE_URL: isolated ? `http://127.0.0.1:${INSIDE_PORT}` : model.url,
    ANTHROPIC_API_KEY: "no-real-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  const close = async (): Promise<void> => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 8, retryDelay: 200 });
  };
  return { program, env, model, isolated, close };
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
  const words = [process.execPath, join(import.meta.dirname, "loopback-only.mjs"), socket, String(INSIDE_PORT), binary];
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  return `#!/bin/sh\nexec unshare -n ${quoted.join(" ")} "$@"\n`;
}
