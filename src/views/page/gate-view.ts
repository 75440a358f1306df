import { actingFiles } from "../../core/changes/acting-files.ts";
import { guidanceWords } from "../../core/command.ts";
import { attentionFor } from "../../core/changes/attention.ts";
import { bySeverity, isOpen, buildLedger } from "../../core/findings/ledger.ts";
import { lastReviewedTree, runBegan } from "../../core/changes/last-reviewed-tree.ts";
import { type ActiveRun, currentPhase, type PhaseRecord, redoLimit, type Wait } from "../../core/run.ts";
import type { DocumentView } from "../../schema/api-documents.ts";
import type { AnswerOption, FindingView, GateView } from "../../schema/api.ts";
import type { PhaseOutput, CheckResult } from "../../schema/facts.ts";
import type { RunEvent } from "../../schema/event.ts";
import { loosenedLine } from "../gate-banner.ts";
import { renderPhaseSummary, buildSummaryData } from "../summary.ts";
import { runActions } from "../answer-options.ts";
import { backTargets } from "./run-detail.ts";
import { actingLine } from "../change-facts.ts";
import { testNotes } from "../tests-in-full.ts";
import type { FailureView } from "../../schema/api-checks.ts";
import type { CommentReply } from "../../schema/comments.ts";
import type { PhaseKey } from "../../schema/ids.ts";

type OpenGate = Extract<Wait, { kind: "gate" }>;

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
function foundOut(made: PhaseOutput, { failures, loosened }: OpenGate) {
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
export function listFindings({ iterations }: PhaseRecord): FindingView[] {
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

/** Matches `src/cart.ts:12`, as written in stack traces and reports. */
const PLACE = /(?:^|[\s("'`/])([\w@.+-]+(?:\/[\w@.+-]+)*\.[A-Za-z]\w{0,7}):(\d{1,6})/;

/** Maximum length of a searched and displayed message, in characters. */
const MAX_OUTPUT_LENGTH = 4000;

/** Lists each failure of the checks once, with file and line if the message names them. */
export function listFailures(checks: readonly CheckResult[]): FailureView[] {
  const failures = checks
    .filter(({ ok }) => ok === false)
    .flatMap(({ name: check, detail, failing = [] }) =>
      failing.length === 0
        ? [failure(check, check, detail)]
        : failing.map(({ name, message }) => failure(check, name, message ?? "")),
    );
  return [...new Map(failures.map((one) => [`${one.check}\n${one.name}`, one])).values()];
}

function failure(check: string, name: string, said: string): FailureView {
  const message = said.slice(0, MAX_OUTPUT_LENGTH);
  const [, file = null, line = null] = PLACE.exec(message) ?? [];
  return { check, name, message, file, line: line === null ? null : Number(line) };
}

type Earlier = GateView["earlier"][number];

/** Lists earlier requests to redo a phase or to return to it, newest first: each comment with the agent's reply. */
export function earlierRedos(events: readonly RunEvent[], key: PhaseKey): Earlier[] {
  let phase = "";
  const found: Earlier[] = [];
  for (const event of events) {
    if (event.type === "attempt.started") phase = event.phase;
    if (isAsking(event, { phase, key })) found.push(asked(event));
    const last = found.at(-1);
    if (event.type === "draft.produced" && phase === key && last !== undefined)
      found[found.length - 1] = replied(last, event.replies ?? []);
  }
  return found.toReversed();
}

function isAsking(event: RunEvent, at: { phase: PhaseKey; key: PhaseKey }): event is RedoEvent {
  if (event.type === "run.wentBack") return event.to === at.key;
  return event.type === "gate.answered" && event.choice === "redo" && at.phase === at.key;
}

/** Events with comments by a user. */
type RedoEvent = Extract<RunEvent, { type: "gate.answered" | "run.wentBack" }>;

function asked({ at, by, guidance = null, comments = [] }: RedoEvent): Earlier {
  const words = guidance === null ? null : guidanceWords(guidance, comments);
  return { at, by: by.name, guidance: words, comments: comments.map((comment) => ({ comment, reply: null })) };
}

/** Keeps the latest reply: after a failed check, the agent may reply again. */
const replied = (earlier: Earlier, replies: readonly CommentReply[]): Earlier => ({
  ...earlier,
  comments: earlier.comments.map(({ comment, reply }) => ({
    comment,
    reply: replies.find(({ id }) => id === comment.id) ?? reply,
  })),
});
