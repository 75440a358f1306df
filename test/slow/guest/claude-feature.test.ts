import { describe, expect, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";
import { begin, guestOf, headless, report } from "./claude-session.ts";
import { featureWork, throughFeature } from "./feature-work.ts";

const version = CLAUDE_VERSIONS[1];
const binary = await agentBinary(claudePackage(version));

describe.skipIf(!binary.ok)(`Claude Code ${version}`, () => {
  test("does a whole supervised feature by itself, with a redo, while the person decides", async () => {
    const start = ["feature", "Add a greeting", "--tests", "without"];
    const rules = (sandbox: Sandbox): Rule[] => {
      const turn = [featureWork(sandbox), report(sandbox), { text: "Done." }];
      return [{ name: "work", when: { prompt: "Go on" }, turns: [begin, ...turn, ...turn], past: "repeat" }];
    };
    const guest = await guestOf(version, rules, start);
    const { sandbox } = guest;
    await throughFeature(sandbox, () => headless(guest, "Go on"));
    const told = guest.setup.model.calls.map(({ request }) => JSON.stringify(request.messages)).join("\n");
    expect(told).toContain("REDO GUIDANCE: Name the file");
    expect(sandbox.git("show", "main:src/a.txt")).toContain("# src/a.txt");
  });
});
