import { type ActiveRun, currentPhase, type PhaseRecord, redoLimit } from "../../core/run.ts";
import type { OpenGate } from "../../schema/api-status.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { PhaseOutput } from "../../schema/facts.ts";
import { earlierRedos, listFindings } from "./gate-view.ts";

/** Returns the facts of an open gate, for programs that show it elsewhere. Null if no gate is open. */
export function openGate(run: ActiveRun, events: readonly RunEvent[]): OpenGate | null {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase === undefined || phase.made === null) return null;
  const { wait } = run;
  const { rule, made, redos } = phase;
  const due = run.phases.filter(({ dropped }) => !dropped);
  return {
    wait: wait.id,
    digest: wait.digest,
    openedAt: wait.openedAt,
    ...commitFacts(made),
    phase: { key: rule.key, name: rule.name, index: due.indexOf(phase) + 1, of: due.length },
    redos: { used: redos, limit: redoLimit(run) },
    checks: [...made.checks, ...wait.failures],
    verdict: verdictFacts(phase, made),
    findings: listFindings(phase),
    replies: earlierRedos(events, rule.key)[0]?.comments ?? [],
  };
}

const commitFacts = ({ proposedCommit, standing, commitTree }: PhaseOutput) => ({
  commit: proposedCommit ?? null,
  parent: standing?.tip ?? null,
  tree: commitTree ?? null,
});

const verdictFacts = ({ rule: { reviewer, verdicts } }: PhaseRecord, { approved }: PhaseOutput): OpenGate["verdict"] =>
  reviewer === null || verdicts === 0 ? null : { reviewer, approved };
