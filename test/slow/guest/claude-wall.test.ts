import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import type { Json } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "../terminal/terminal.ts";
import { guestOf, headless, isUnanswered, laterShell, planned, productSandbox, said } from "./claude-session.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
const program = join(import.meta.dirname, "../../fixtures/agents/reach-out.mjs");

describe.each(binaries)("the shell of Claude Code $version at an open gate", ({ version, binary }) => {
  test.skipIf(!binary.ok || !hasTmux()).each([
    ["without its sandbox reaches key, settings and the person's terminal", false, "done"],
    ["with its sandbox reaches neither key nor settings nor the person's terminal", true, "refused"],
  ])("%s", async (_what, isWalled, outcome) => {
    let tries = "";
    const guest = await guestOf(version, (sandbox) => [
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
