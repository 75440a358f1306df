import { describe, expect, test } from "vitest";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";
import { begins, codexExec, codexGuest, reports } from "./codex-session.ts";
import { featureWork, throughFeature } from "./feature-work.ts";

const binary = await agentBinary(codexPackage);

describe.skipIf(!binary.ok)("Codex", () => {
  test("does a whole supervised feature by itself, with a redo, while the person decides", async () => {
    const start = ["feature", "Add a greeting", "--tests", "without"];
    const rules = (sandbox: Sandbox): Rule[] => {
      const turn = [featureWork(sandbox), reports(sandbox), { text: "Done." }];
      return [{ name: "work", when: { prompt: "Go on" }, turns: [begins, ...turn, ...turn], past: "repeat" }];
    };
    const guest = await codexGuest(rules, start);
    const { sandbox, codex } = guest;
    await throughFeature(sandbox, () => codexExec(guest, "workspace-write", "Go on"));
    const told = codex.model.calls.map(({ request }) => JSON.stringify(request.messages)).join("\n");
    expect(told).toContain("REDO GUIDANCE: Name the file");
    expect(sandbox.git("show", "main:src/a.txt")).toContain("# src/a.txt");
  });
});
