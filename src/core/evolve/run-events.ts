import type { Brief } from "../../schema/event.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { ExecutionLimits, PhaseRule } from "../../schema/plan.ts";
import type { EventOf, Handlers } from "./evolve.ts";
import { type ActiveRun, isEscalationOption, type PhaseRecord, type Stage, CHECK_REASONS } from "../run.ts";
import { unproven } from "./attempt.ts";
import { withBringer } from "../brought-answers.ts";
import { changed, enter, open, patch } from "./changes.ts";

type RunEventType =
  | "run.prepared"
  | "run.broughtIn"
  | "baseline.started"
  | "baseline.measured"
  | "baseline.settled"
  | "agents.changed"
  | "decision.signed"
  | "passkey.removed"
  | "step.escalated"
  | "step.retried"
  | "step.skipped"
  | "tests.accepted"
  | "lines.included"
  | "budget.spent"
  | "budget.raised"
  | "finish.asked"
  | "finish.chosen"
  | "run.finished"
  | "run.cancelled";

export function startRun(event: EventOf<"run.started">): ActiveRun {
  const { type: _type, seq, at, plan, supervision, tests, ...facts } = event;
  return {
    is: "active",
    run: { ...facts, startedAt: at },
    phases: plan.map(untouched),
    index: 0,
    stage: { is: "preparing" },
    since: seq,
    sinceAt: at,
    wait: null,
    tests,
    baseline: null,
    budget: facts.options.budget ?? null,
    unknownUsage: false,
    estimatedCost: false,
    leastUsage: null,
    supervision,
    sizing: null,
    ...startCommits(facts.git),
    sealedAt: null,
    together: [],
    refined: false,
    userEdits: [],
    untouched: null,
    answers: [],
    seq,
  };
}

/** Adopted commits are on the branch from the start. */
function startCommits(git: EventOf<"run.started">["git"]): Pick<ActiveRun, "tip" | "base"> {
  if (git === null) return { tip: null, base: null };
  const { base, baseTip, commit, adopts } = git;
  return { tip: adopts?.head ?? commit, base: base === null ? null : (baseTip ?? commit) };
}

const untouched = (rule: PhaseRule): PhaseRecord => ({
  rule,
  dropped: false,
  status: "pending",
  attempts: 0,
  redos: 0,
  redoing: false,
  guidance: [],
  startedAt: null,
  completedAt: null,
  firstTree: null,
  returnTree: null,
  firstCommit: null,
  firstStanding: null,
  bases: null,
  earlierWork: null,
  leftTree: null,
  seenTree: null,
  acceptedTree: null,
  made: null,
  iterations: [],
  checkFailures: 0,
  executions: 0,
  usage: { input: null, output: null, usd: null },
  missingUsage: 0,
  missingCost: 0,
  repeatedInput: 0,
  session: null,
  commit: null,
});

export const runHandlers: Handlers<RunEventType> = {
  "agents.changed": (run, { agent, reviewer, agents, reviewers }) => {
    const { agents: _agents, reviewers: _reviewers, ...facts } = run.run;
    const some = { ...(agents === undefined ? {} : { agents }), ...(reviewers === undefined ? {} : { reviewers }) };
    return { ...run, run: { ...facts, agent, reviewer, ...some } };
  },
  "decision.signed": (run) => run,
  "passkey.removed": (run, { passkey }) => {
    const { passkeys = [], ...facts } = run.run;
    const left = passkeys.filter(({ id }) => id !== passkey);
    return { ...run, run: left.length === 0 ? facts : { ...facts, passkeys: left } };
  },
  "run.broughtIn": (run, event) => {
    const { supervised: _supervised, ...options } = run.run.options;
    const { by, from, to, gates } = event;
    return changed(run, {
      run: {
        ...run.run,
        options: { ...options, ...event.options },
        brought: [...(run.run.brought ?? []), { by, from, to }],
      },
      supervision: event.supervision,
      phases: run.phases.map((phase) =>
        gates.includes(phase.rule.key) ? { ...phase, rule: { ...phase.rule, gate: "always" } } : phase,
      ),
      answers: run.answers.map((answer) => withBringer(answer, event)),
    });
  },
  "run.prepared": (run, event) => enter(run, event, { is: "entering", brief: { why: "first", text: "" } }),
  "baseline.started": (run, event) => enter(run, event, { is: "baselining" }),
  "baseline.measured": (run, { result }) => ({ ...run, baseline: { result, isAccepted: false } }),
  "baseline.settled": (run, event) => {
    const { baseline } = run;
    const known = event.how === "known" && baseline !== null ? { ...baseline, isAccepted: true } : baseline;
    const changed = event.how === "without" ? { ...run, tests: null, baseline: null } : { ...run, baseline: known };
    return enter(changed, event, { is: "entering", brief: { why: "first", text: "" } });
  },
  "step.escalated": (run, event) => {
    const { from, reason, detail, options, paths = [], checks, tests } = event;
    const failures = "work" in run.stage ? run.stage.work.failures : 0;
    return open(run, event, {
      kind: "escalation",
      from,
      reason,
      detail,
      ...(failures === 0 ? {} : { failures }),
      paths,
      ...(checks === undefined ? {} : { checks }),
      ...(tests === undefined ? {} : { tests }),
      offered: options.filter(isEscalationOption),
    });
  },
  "step.retried": (run, event) => {
    const isCheckOnly =
      run.wait?.kind === "escalation" && CHECK_REASONS.has(run.wait.reason) && event.guidance === undefined;
    const anew = event.from === "produce" || (event.from === "check" && !isCheckOnly) || event.from === "enter";
    const stage: Stage = anew ? { is: "entering", brief: retryBrief(run, event.guidance) } : anotherTry(run.stage);
    const limited = event.limits === undefined ? run : withLimits(run, event.limits);
    return enter(anew ? patch(limited, { status: "in_progress", made: null }) : limited, event, stage);
  },
  "step.skipped": (run) => ({ ...run, wait: null }),
  "lines.included": (run, event) =>
    enter({ ...run, together: [...new Set([...run.together, ...event.paths])] }, event, run.stage),
  "tests.accepted": (run, event) => enter({ ...run, tests: event.tests }, event, run.stage),
  "budget.spent": (run, event) => {
    const { spent, budget, unknown, partial, ahead } = event;
    const doubts = { ...(unknown === undefined ? {} : { unknown }), ...(partial === true ? { partial } : {}) };
    return open(run, event, { kind: "budget", spent, budget, ...doubts, ...(ahead === undefined ? {} : { ahead }) });
  },
  "budget.raised": (run, event) => enter({ ...run, budget: event.budget, unknownUsage: false }, event, run.stage),
  "finish.asked": (run, event) => {
    const { options: offered, moved = [], standing = null } = event;
    const asked = enter(run, event, { is: "finishing", how: null, seenAt: null });
    return open(asked, event, { kind: "finish", offered, moved, standing });
  },
  "finish.chosen": (run, event) => {
    const seen = run.wait?.kind === "finish" ? run.wait.standing : null;
    const looked = seen === null ? run : { ...run, tip: seen.tip, base: seen.base };
    const sealed = event.how === "pr" ? { ...looked, sealedAt: run.sealedAt ?? event.at } : looked;
    return enter(sealed, event, { is: "finishing", how: event.how, seenAt: seen?.at ?? null });
  },
  "run.finished": (run, event) => ({
    ...ended(run, event),
    how: "finished",
    finish: event.how,
    merged: event.merged,
  }),
  "run.cancelled": (run, event) => ({
    ...ended(run, event),
    how: "cancelled",
    reason: event.reason,
    cancelledAt: run.phases[run.index]?.rule.key ?? null,
  }),
};

/** Returns the facts of a run that stay after its end. */
function ended({ run, phases, answers, supervision, sizing, sealedAt }: ActiveRun, { seq, at }: RunEvent) {
  return { is: "ended" as const, run, phases, answers, supervision, sizing, sealedAt, seq, endedAt: at };
}

/** Keeps limits that the event does not name. */
function withLimits(run: ActiveRun, { turns, minutes }: ExecutionLimits): ActiveRun {
  const { options } = run.run;
  const limits = { turns: turns ?? options.limits?.turns ?? null, minutes: minutes ?? options.limits?.minutes ?? null };
  return { ...run, run: { ...run.run, options: { ...options, limits } } };
}

/** Puts the user's guidance first, then the reason why the attempt failed. */
function retryBrief(run: ActiveRun, guidance: string | undefined): Brief {
  if (guidance === undefined) return { why: "retry", text: retryText(run) };
  return { why: "redo", text: [guidance, retryText(run)].filter((text) => text !== "").join("\n\n") };
}

function retryText(run: ActiveRun): string {
  return run.wait?.kind === "escalation"
    ? `The attempt before this one failed (${run.wait.reason}): ${run.wait.detail}`
    : "";
}

/** Repeats a stage without its claim: refining starts with fresh counts, other executions with `broken` at 0. */
function anotherTry(stage: Stage): Stage {
  if (stage.is === "refining") return { ...stage, claim: null, work: unproven };
  return "claim" in stage ? { ...stage, claim: null, work: { ...stage.work, broken: 0 } } : stage;
}
