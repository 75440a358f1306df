import { actingFiles } from "../../core/acting-files.ts";
import { actingLine } from "../acting-line.ts";
import { testNotes } from "../test-notes.ts";
import { attentionFor } from "../../core/attention.ts";
import { bySeverity, isOpen, buildLedger } from "../../core/findings/ledger.ts";
import { lastReviewedTree, runBegan } from "../../core/last-reviewed-tree.ts";
import { type ActiveRun, currentPhase, type PhaseRecord, redoLimit, type Wait } from "../../core/run.ts";
import type { AnswerOption, DocumentView, FindingView, GateView } from "../../schema/api.ts";
import type { PhaseOutput } from "../../schema/facts.ts";
import type { RunEvent } from "../../schema/event.ts";
import { loosenedLine } from "../gate-banner.ts";
import { renderPhaseSummary, buildSummaryData } from "../summary.ts";
import { runActions } from "../answer-options.ts";
import { earlierRedos } from "./earlier-redos.ts";
import { listFailures } from "./failures.ts";
import { backTargets } from "./run-detail.ts";

type Gate = Extract<Wait, { kind: "gate" }>;

export type GateFacts = {
  readonly events: readonly RunEvent[];
  readonly documents: readonly DocumentView[];
  /** Options of the wait. */
  readonly options: readonly AnswerOption[];
  readonly shown: string;
};

/** Collects the data for a decision at an open gate. Returns null if no gate is open. */
export function gateView(run: ActiveRun, { events, documents, options, shown }: GateFacts): GateView | null {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase === undefined || phase.made === null) return null;
  const { wait } = run;
  const backTo = backTargets(run);
  return {
    run: run.run.run,
    title: run.run.title,
    workflow: run.run.workflow,
    wait: wait.id,
    phase: phaseHead(phase, redoLimit(run)),
    openedAt: wait.openedAt,
    isPaused: run.stage.is === "produced" && run.stage.pausedAt !== null,
    toRead: attentionFor(phase.made),
    summary: renderPhaseSummary(buildSummaryData(run, phase.rule.key), { minimal: run.run.minimalSummary }),
    documents: [...documents],
    findings: listFindings(phase),
    ...foundOut(phase.made, wait),
    testsBefore: run.baseline?.result.counts ?? null,
    hasReviewer: phase.rule.reviewer !== null && phase.rule.verdicts > 0,
    earlier: earlierRedos(events, phase.rule.key),
    hasSeen: lastReviewedTree(run) !== runBegan(run).tree,
    isGit: run.run.git !== null,
    options: [...options],
    goBack:
      runActions(run, { isDriven: true, goesBack: backTo.length > 0 }).find(({ option }) => option === "back") ?? null,
    backTo,
    shown,
    seq: run.seq,
  };
}

function phaseHead({ rule, attempts, redos }: PhaseRecord, limit: number): GateView["phase"] {
  return { key: rule.key, name: rule.name, attempt: attempts, redos, redosLeft: Math.max(0, limit - redos) };
}

/** Collects problems reported by checks, reviewers and the engine. */
function foundOut(made: PhaseOutput, { failures, loosened }: Gate) {
  const changed = [...(made.changed ?? []), ...(made.changedSinceSeen ?? [])];
  return {
    checks: [...made.checks],
    failed: listFailures([...made.checks, ...failures]),
    failures: [...failures],
    isApproved: made.approved,
    concerns: [...made.concerns],
    unexpected: [...made.unexpected],
    denied: [...(made.denied ?? [])],
    acting: actingFiles(changed.map(({ path }) => path)).map(actingLine),
    notices: [...(made.notices ?? [])],
    unmentioned: [...(made.unmentioned ?? [])],
    testNotes: testNotes(made.checks),
    testsChanged: made.testsChanged,
    loosened: loosened === null ? null : loosenedLine(loosened),
  };
}

/** Lists the phase's findings, open ones first. */
function listFindings({ iterations }: PhaseRecord): FindingView[] {
  const { findings } = buildLedger(iterations);
  const open = findings.filter(isOpen).toSorted(bySeverity);
  const resolved = findings.filter((finding) => !isOpen(finding)).toSorted(bySeverity);
  return [...open, ...resolved].map(({ id, severity, description, location, file, line, state }) => ({
    id,
    severity,
    description,
    location,
    file,
    line,
    state,
  }));
}
