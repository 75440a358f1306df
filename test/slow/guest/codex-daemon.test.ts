import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import { hasTmux, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { begins, codexGuest, type CodexGuest, toldBy } from "./codex-session.ts";

const binary = await agentBinary(codexPackage);

const begun = (name: string): Rule => ({
  name,
  when: { prompt: `Go ${name}` },
  turns: [begins, { text: `Done ${name}.` }],
  past: "repeat",
});

const daemon = ({ codex, env }: CodexGuest, verb: "start" | "stop"): void =>
  void execFileSync(codex.program, ["app-server", "daemon", verb], { env, stdio: "ignore", timeout: 60_000 });

/** Ends a process of the daemon that would look for updates. */
function endUpdater({ env }: CodexGuest): void {
  const mine = readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && readCommandLine(name).includes(`${env["CODEX_HOME"]}/`),
  );
  for (const pid of mine) process.kill(Number(pid), "SIGKILL");
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it exited
  }
}

/** Two sessions. The daemon runs them only without settings on the command line. */
async function daemonGuest(): Promise<CodexGuest> {
  const settings = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"';
  const guest = await codexGuest(() => [begun("one"), begun("two")], { settings, isolate: false });
  const file = join(guest.env["CODEX_HOME"] ?? "", "config.toml");
  const server = '[mcp_servers.isdlc]\nrequired = true\ndefault_tools_approval_mode = "approve"';
  writeFileSync(file, readFileSync(file, "utf8").replace("[mcp_servers.isdlc]", server));
  daemon(guest, "start");
  onTestFinished(() => {
    daemon(guest, "stop");
    endUpdater(guest);
  });
  return guest;
}

async function session({ codex, sandbox, env }: CodexGuest, name: string): Promise<Terminal> {
  const terminal = await openTerminal(sandbox, { env, width: 160 });
  terminal.type(`'${codex.program}' 'Go ${name}'`);
  await expect.poll(() => terminal.screen(), { interval: 100 }).toMatch(/Trust all and continue|Done /);
  if (terminal.screen().includes("Trust all")) {
    terminal.press("Down");
    terminal.press("Enter");
  }
  await terminal.shows(`Done ${name}.`);
  return terminal;
}

describe.skipIf(!binary.ok || !hasTmux())("daemon of Codex", () => {
  test("runs two sessions in one working tree and gives the phase to one", async () => {
    const guest = await daemonGuest();
    const { sandbox, env } = guest;
    await session(guest, "one");
    await session(guest, "two");
    expect(toldBy(guest, "one").at(-1)).toContain("phase plan");
    expect(toldBy(guest, "two").at(-1)).toContain("SESSION_HOLDS");
    const later = await openTerminal(sandbox, { env, width: 160 });
    later.type(`${process.execPath} ${await builtProgram()} retry`);
    await later.shows("TERMINAL_SUSPICIOUS");
    expect(later.screen().replaceAll(/\s+/g, " ")).toContain("codex app-server daemon stop");
  });
});
