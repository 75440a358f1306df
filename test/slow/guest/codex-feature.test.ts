import { describe, expect, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "../terminal/terminal.ts";
import { begins, codexExec, codexGuest, reports, toldBy, TRUSTED } from "./codex-session.ts";
import { FEATURE, featureWork, moved, throughFeature } from "./feature-work.ts";
import { REFUSED, rogueTries } from "./rogue-tries.ts";

const binary = await agentBinary(codexPackage);
const ROGUE_TURNS = rogueTries((input) => ({ tool: "mcp__isdlc.report", input }));

/** Works on phase after phase. If the prompt says "try your luck", it tries every attack first. */
const rules = (sandbox: Sandbox): Rule[] => {
  const turn = [featureWork(sandbox), reports(sandbox), { text: "Done." }];
  return [
    { name: "rogue", when: { prompt: "try your luck" }, turns: [begins, ...ROGUE_TURNS, ...turn], past: "repeat" },
    { name: "work", when: { prompt: "Go on" }, turns: [begins, ...turn, ...turn], past: "repeat" },
  ];
};

const allTold = ({ codex }: Awaited<ReturnType<typeof codexGuest>>): string =>
  codex.model.calls.map(({ request }) => JSON.stringify(request.messages)).join("\n");

describe.skipIf(!binary.ok)("Codex", () => {
  test("blocks a rogue model, then completes a supervised feature with a redo", async () => {
    const created = await codexGuest(rules, { start: FEATURE });
    const guest = { ...created, env: { ...created.env, ANTHROPIC_API_KEY: "dummy" } };
    await codexExec(guest, "workspace-write", "Go on, but try your luck");
    const refusals = toldBy(guest, "rogue").slice(2, 2 + ROGUE_TURNS.length);
    expect(refusals).toHaveLength(ROGUE_TURNS.length);
    for (const [at, refusal] of refusals.entries()) expect(refusal, JSON.stringify(ROGUE_TURNS[at])).toMatch(REFUSED);
    await throughFeature(guest.sandbox, { session: () => codexExec(guest, "workspace-write", "Go on") });
    const reviews = guest.sandbox.log().filter(({ role }) => role === "reviewer");
    expect(reviews.length).toBeGreaterThan(0);
    for (const { env } of reviews) expect(env).toContain("ANTHROPIC_API_KEY"); // to log in
    expect(allTold(guest)).toContain("isdlc: How to work in a project with an open isdlc run");
    expect(allTold(guest)).toContain("REDO GUIDANCE: Name the file");
  });

  test.skipIf(!hasTmux())("completes a supervised feature in one interactive session", async () => {
    const guest = await codexGuest(rules, { start: FEATURE });
    const { codex, sandbox, env } = guest;
    const terminal = await openTerminal(sandbox, { env, width: 160 });
    const words = [codex.program, ...TRUSTED, "-s", "workspace-write", "Go on"];
    terminal.type(words.map((word) => `'${word}'`).join(" "));
    await moved(sandbox, null);
    await throughFeature(sandbox, {
      async session() {
        terminal.press("-l", "Go on");
        await terminal.shows("Go on");
        terminal.press("Enter"); // sent together with the text, Enter would count as pasted
        await moved(sandbox, null);
      },
    });
    expect(allTold(guest)).toContain("REDO GUIDANCE: Name the file");
  });
});
