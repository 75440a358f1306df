import { expect, test } from "vitest";
import { lastAcceptedTree } from "../../src/core/changes/last-reviewed-tree.ts";
import { accepted, activeRun, ada, advance, phaseAt, report, startRun } from "../support/run-builder.ts";
import { supervised } from "./supervised-run.ts";

test("compares a phase entered again with the bases of the return", () => {
  const player = advance(startRun(supervised), "gate");
  const to = phaseAt(player, 0).rule.key;
  accepted(player, { do: "back", by: ada, to, tree: "keep" });
  const bases = { entered: "tree-9", own: "own", start: "start", gate: "gate", commit: "commit" };
  report(advance(player, "enter"), { of: "enter", commit: "b0b", tree: "tree-9", bases });
  expect(phaseAt(player, 0)).toMatchObject({ firstTree: "own", bases, returnTree: "tree-9" });
  expect(lastAcceptedTree(activeRun(player)).tree).toBe("gate");
});
