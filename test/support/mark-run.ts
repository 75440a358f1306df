import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createProjections } from "../../src/adapters/files/create-projections.ts";
import { writeActive } from "../../src/engine/write-projections.ts";
import type { PhaseRule } from "../../src/schema/plan.ts";
import { advance, phaseRule, report, startRun } from "./run-builder.ts";

/** The session that works on the run. */
export const SESSION = "s";

/** Writes `.isdlc/active` as the engine does while a session works on the only phase of a run. */
export function markRun(root: string, item: string, rule: Partial<PhaseRule> = {}): void {
  const player = advance(startRun({ item, plan: [phaseRule(rule)] }), "produce");
  const driver = { pid: 1, started: "0", boot: "0" };
  report(player, {
    of: "claim",
    claim: { execution: "x1", nonce: "n1", driver, session: { id: SESSION, host: null } },
  });
  const projections = createProjections(root, nodeFiles);
  const head = { seq: player.events.length, hash: "" };
  const warnings = writeActive({ projections }, player.state, head);
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
}
