import { describe, expect, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux } from "../terminal/terminal.ts";
import {
  atTerminal,
  begin,
  enter,
  createClaudeGuest,
  headless,
  report,
  said,
  SERVER,
  served,
  STATUS,
} from "./claude-session.ts";
import { FEATURE, featureWork, moved, throughFeature } from "./feature-work.ts";
import { REFUSED, rogueTries } from "./rogue-tries.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
const ROGUE_TURNS = rogueTries((input) => ({ tool: `${SERVER}report`, input }));

/** Works on phase after phase. If the prompt says "try your luck", it tries every attack first. */
const rules = (sandbox: Sandbox): Rule[] => {
  const turn = [featureWork(sandbox), report(sandbox), { text: "Done." }];
  return [
    { name: "rogue", when: { prompt: "try your luck" }, turns: [begin, ...ROGUE_TURNS, ...turn], past: "repeat" },
    {
      name: "work",
      when: { prompt: /Go on|Call the tool .{1,4}begin|The user ran/ },
      turns: [begin, ...turn, ...turn],
      past: "repeat",
    },
    STATUS,
  ];
};

const allTold = ({ setup }: Awaited<ReturnType<typeof createClaudeGuest>>): string =>
  setup.model.calls.map(({ request }) => JSON.stringify(request.messages)).join("\n");

describe.each(binaries)("Claude Code $version", ({ version, binary }) => {
  test.skipIf(!binary.ok)("blocks a rogue model, then completes a supervised feature with a redo", async () => {
    const guest = await createClaudeGuest(version, rules, FEATURE);
    const { sandbox } = guest;
    await headless(guest, "Go on, but try your luck");
    const refusals = said(guest, "rogue").slice(2, 2 + ROGUE_TURNS.length);
    expect(refusals).toHaveLength(ROGUE_TURNS.length);
    for (const [at, refusal] of refusals.entries()) expect(refusal, JSON.stringify(ROGUE_TURNS[at])).toMatch(REFUSED);
    await throughFeature(sandbox, { session: () => headless(guest, "Go on") });
    expect(allTold(guest)).toContain("REDO GUIDANCE: Name the file");
  });
});

const newest = binaries.at(-1);

describe.skipIf(newest?.binary.ok !== true || !hasTmux())("Claude Code at a terminal", () => {
  test("completes a supervised feature with every decision typed in the session", async () => {
    const guest = await createClaudeGuest(newest?.version ?? "", rules, FEATURE);
    const { sandbox } = guest;
    const terminal = await atTerminal(guest);
    await served(guest, terminal);
    await enter(terminal, "/isdlc:next");
    await moved(sandbox, null);
    await throughFeature(sandbox, {
      session: () => moved(sandbox, null),
      async answer(words) {
        const before = (await sandbox.status()).waiting.id;
        await enter(terminal, `/isdlc:${words.join(" ")}`);
        await moved(sandbox, before);
      },
    });
    expect(allTold(guest)).toContain("REDO GUIDANCE: Name the file");
    const answers = (await sandbox.events()).filter((event) => event.type === "gate.answered");
    expect(answers.length).toBeGreaterThan(8);
    for (const answered of answers) expect(answered).toMatchObject({ by: { channel: "prompt" } });
  });
});
