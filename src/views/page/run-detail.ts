import { hadNothingToMerge } from "../finish-lines.ts";
import { attentionFor } from "../../core/changes/attention.ts";
import { phasesToGoBackTo } from "../../core/decide/person.ts";
import {
  type ActiveRun,
  currentPhase,
  type EndedRun,
  chosenFinish,
  mergedAs,
  type PhaseRecord,
  cancelReason,
  type Wait,
} from "../../core/run.ts";
import { isGateDue } from "../../core/supervision.ts";
import type { AnswerOption, PhaseView, RunDetail, WaitView } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";
import { runActions } from "../answer-options.ts";
import { runRow, type RunPlace } from "./run-row.ts";
import { whatFailed } from "../trouble-lines.ts";
import { buildTimeline } from "./timeline.ts";

export type RunDetailSources = RunPlace & {
  readonly events: readonly RunEvent[];
  /** Options of the open wait, or none without a wait. */
  readonly options: readonly AnswerOption[];
  /** Digest of the summary shown at the open wait. */
  readonly shown: string;
};

/** Collects the data of a run, except its diff and its gate. */
export function runDetail(run: ActiveRun | EndedRun, looked: RunDetailSources): RunDetail {
  const { run: facts } = run;
  const isActive = run.is === "active";
  const backTo = isActive ? backTargets(run) : [];
  const may = { isDriven: looked.isDriven, goesBack: backTo.length > 0 };
  return {
    row: runRow(run, looked),
    mode: facts.options.mode,
    isSupervised: run.supervision.enabled,
    agent: facts.agent.name,
    reviewer: facts.reviewer?.name ?? null,
    isSandboxed: facts.agent.name === "session" ? null : (facts.sandbox ?? null),
    phases: run.phases.map((phase) => phaseView(run, phase)),
    timeline: buildTimeline(looked.events),
    wait: isActive && run.wait !== null ? waitView(run, run.wait, looked) : null,
    actions: isActive ? runActions(run, may) : [],
    backTo,
    end: isActive
      ? null
      : {
          how: hadNothingToMerge(run) ? "keep" : (chosenFinish(run) ?? run.how),
          merged: mergedAs(run),
          reason: cancelReason(run),
          at: run.endedAt,
        },
    warnings: [...facts.warnings],
    seq: run.seq,
  };
}

/** Lists the phases to which a user may return the run. */
export const backTargets = (run: ActiveRun): { key: string; name: string }[] =>
  phasesToGoBackTo(run).map(({ rule }) => ({ key: rule.key, name: rule.name }));

function phaseView(run: ActiveRun | EndedRun, phase: PhaseRecord): PhaseView {
  const { rule, made } = phase;
  return {
    key: rule.key,
    name: rule.name,
    status: phase.dropped ? "dropped" : phase.status,
    attempts: phase.attempts,
    redos: phase.redos,
    iterations: phase.iterations.length,
    checkFailures: phase.checkFailures,
    concerns: [...(made?.concerns ?? [])],
    usage: phase.usage,
    isUsageComplete: phase.missingUsage === 0,
    startedAt: phase.startedAt,
    completedAt: phase.completedAt,
    commit: phase.commit,
    summary: made?.summary ?? null,
    documents: [...(made?.artifacts ?? [])],
    reviewer: rule.reviewer,
    hasGate: rule.gate !== "supervised" || isGateDue(run.supervision, rule.key),
  };
}

type WaitOf<K extends Wait["kind"]> = Extract<Wait, { kind: K }>;
type Views = {
  readonly [K in Wait["kind"]]: (run: ActiveRun, wait: WaitOf<K>) => Omit<Extract<WaitView, { kind: K }>, keyof Common>;
};
type Common = Pick<WaitView, "id" | "openedAt" | "options" | "shown">;

const VIEWS: Views = {
  gate(run) {
    const phase = currentPhase(run);
    const isPaused = run.stage.is === "produced" && run.stage.pausedAt !== null;
    return { kind: "gate", phase: phase?.rule.key ?? "", isPaused, toRead: attentionFor(phase?.made ?? null) };
  },
  questions: (_run, { questions }) => ({ kind: "questions", questions: [...questions] }),
  escalation: (_run, wait) => ({
    kind: "escalation",
    step: wait.from,
    reason: wait.reason,
    what: sentenceCase(whatFailed(wait)),
    detail: wait.detail,
  }),
  sizing: (_run, { sizing }) => ({ kind: "sizing", sizing }),
  budget: (_run, { spent, budget, ahead }) => ({ kind: "budget", spent, budget, ahead }),
  finish: (run) => ({ kind: "finish", base: run.run.git?.base ?? null, concerns: openConcerns(run) }),
};

const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Describes the open wait, with its options. */
function waitView(
  run: ActiveRun,
  wait: Wait,
  { options, shown }: Pick<RunDetailSources, "options" | "shown">,
): WaitView {
  const view = VIEWS[wait.kind] as (run: ActiveRun, wait: Wait) => Omit<WaitView, keyof Common>; // keyed by the kind of wait
  const common: Common = { id: wait.id, openedAt: wait.openedAt, options: [...options], shown };
  return { ...common, ...view(run, wait) } as WaitView; // both parts are of one kind
}

const openConcerns = (run: ActiveRun): { phase: string; text: string }[] =>
  run.phases.flatMap(({ rule, made }) => (made?.concerns ?? []).map((text) => ({ phase: rule.name, text })));
