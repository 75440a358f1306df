import { type ActiveRun, currentPhase, redoLimit } from "../core/run.ts";
import type { OpenGate } from "../schema/api-status.ts";
import type { RunEvent } from "../schema/event.ts";
import { earlierRedos, listFindings } from "./page/gate-view.ts";

/** Returns the facts of an open gate, for programs that show it elsewhere. Null if no gate is open. */
export function openGate(run: ActiveRun, events: readonly RunEvent[]): OpenGate | null {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase === undefined || phase.made === null) return null;
  const { wait } = run;
  const { rule, made, redos } = phase;
  const due = run.phases.filter(({ dropped }) => !dropped);
  const hasReviewer = rule.reviewer !== null && rule.verdicts > 0;
  return {
    wait: wait.id,
    digest: wait.digest,
    openedAt: wait.openedAt,
    commit: made.proposedCommit ?? null,
    parent: made.standing?.tip ?? null,
    tree: made.commitTree ?? null,
    phase: { key: rule.key, name: rule.name, index: due.indexOf(phase) + 1, of: due.length },
    redos: { used: redos, limit: redoLimit(run) },
    checks: [...made.checks, ...wait.failures],
    verdict: hasReviewer ? { reviewer: rule.reviewer ?? "", approved: made.approved } : null,
    findings: listFindings(phase),
    replies: earlierRedos(events, rule.key)[0]?.comments ?? [],
  };
}
