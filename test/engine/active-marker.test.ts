import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createProjections } from "../../src/adapters/files/create-projections.ts";
import type { RunState } from "../../src/core/run.ts";
import { writeProjections } from "../../src/engine/write-projections.ts";
import type { PhaseRule } from "../../src/schema/plan.ts";
import { activeRun, advance, phaseRule, type Player, startRun } from "../support/run-builder.ts";

/** Content of `.isdlc/active` for a state; null without a file. */
function markerOf(state: RunState): Record<string, unknown> | null {
  const root = mkdtempSync(join(tmpdir(), "isdlc-active-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const projections = createProjections(root, nodeFiles);
  expect(writeProjections({ projections }, state, { seq: 7, hash: "0" })).toEqual([]);
  try {
    return JSON.parse(readFileSync(join(root, ".isdlc", "active"), "utf8")) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const producing = (writes: PhaseRule["writes"]): Player =>
  advance(startRun({ plan: [phaseRule({ writes })] }), "produce");

test.for<PhaseRule["writes"]>(["item", "tests", "tree"])(
  "allows the writes of the phase while an agent works: %s",
  (writes) => {
    const { state } = producing(writes);
    expect(markerOf(state)).toMatchObject({ writes, wait: null, seq: 7, item: activeRun(producing(writes)).run.item });
  },
);

test.for(["check", "gate"] as const)("allows no writes at %s", (where) => {
  const { state } = advance(startRun({ plan: [phaseRule({ writes: "tree", gate: "always" })] }), where);
  const marker = markerOf(state);
  expect(marker).toMatchObject({ writes: "nothing" });
  expect(marker?.["wait"] === null).toBe(where === "check");
});

test("removes the marker at the end of the run", () => {
  expect(markerOf(advance(startRun(), "done").state)).toBeNull();
});
