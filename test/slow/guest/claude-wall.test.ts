import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import type { Json } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "../terminal/terminal.ts";
import {
  createClaudeGuest,
  headless,
  isUnanswered,
  laterShell,
  planned,
  productSandbox,
  said,
} from "./claude-session.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
/** Bypasses the hooks, which see no path in this command. */
const ATTACK_SCRIPT = `python3 -c '
import os
def attempt(name, deed):
    try: deed(); print(name, "done")
    except OSError: print(name, "refused")
attempt("key", lambda: open(os.environ["XDG_STATE_HOME"] + "/is" + "dlc/key", "rb").read())
attempt("run", lambda: open(".is" + "dlc/planted", "w"))
attempt("git", lambda: open(".gi" + "t/planted", "w"))
'`;

const program = join(import.meta.dirname, "../../fixtures/agents/reach-out.mjs");

describe.each(binaries)("shell of Claude Code $version at an open gate", ({ version, binary }) => {
  test.skipIf(!binary.ok || !hasTmux()).each([
    ["reaches key, settings and the user's terminal without its sandbox", false, "done"],
    ["reaches neither key nor settings nor terminal with its sandbox", true, "refused"],
  ])("%s", async (_what, isWalled, outcome) => {
    let tries = "";
    const guest = await createClaudeGuest(version, (sandbox) => [
      planned(sandbox),
      {
        name: "forger",
        when: { prompt: "Have a go" },
        turns: [laterShell(() => `node ${program} ${tries}`), { text: "Tried." }],
      },
    ]);
    const { sandbox, env } = guest;
    await headless(guest, "Go on");
    const settings = join(env["HOME"] ?? "", ".claude/settings.json");
    if (isWalled) writeFileSync(settings, JSON.stringify(productSandbox(env)));
    const typed = join(sandbox.base, "typed");
    const what = {
      state: join(env["XDG_STATE_HOME"] ?? "", "isdlc"),
      settings: join(sandbox.root, ".claude/settings.json"),
      terminals: sandbox.base,
      keys: `touch ${typed}`,
    };
    tries = Buffer.from(JSON.stringify(what)).toString("base64");
    const terminal = await openTerminal(sandbox);
    await headless(guest, "Have a go");
    const reached: Json = JSON.parse(/reached (\{.*\})/.exec(said(guest, "forger").at(-1) ?? "")?.[1] ?? "null");
    expect(reached).toEqual({ key: outcome, settings: outcome, terminal: outcome });
    terminal.type("echo at rest");
    await terminal.shows(/^at rest/m);
    expect(existsSync(typed)).toBe(!isWalled);
    expect(await isUnanswered(sandbox)).toBe(true);
  });
});

describe.each(binaries)("isdlc install claude --sandbox with Claude Code $version", ({ version, binary }) => {
  test.skipIf(!binary.ok).each([
    ["lets a program reach key, run and repository without the sandbox", false, "done"],
    ["restricts a program to the working tree with the sandbox", true, "refused"],
  ])("%s", async (_what, isWalled, outcome) => {
    const guest = await createClaudeGuest(version, (sandbox) => [
      planned(sandbox),
      {
        name: "forger",
        when: { prompt: "Have a go" },
        turns: [{ calls: [{ shell: ATTACK_SCRIPT }] }, { text: "Tried." }],
      },
    ]);
    await headless(guest, "Go on");
    if (isWalled)
      expect(await guest.sandbox.start(["install", "claude", "--sandbox"], guest.env).ended).toMatchObject({ code: 0 });
    await headless(guest, "Have a go");
    const told = said(guest, "forger").at(-1) ?? "";
    expect(told).toContain(`key ${outcome}`);
    expect(told).toContain(`run ${outcome}`);
    expect(told).toContain(`git ${outcome}`);
  });
});
