import type { FindingCount, RunPredicate, SignedGate } from "../../schema/attestation.ts";
import type { Issue } from "../../schema/agent.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { PhaseOutput } from "../../schema/facts.ts";
import type { PhaseKey, TreeId } from "../../schema/ids.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person, Initiator } from "../../schema/people.ts";
import type { Finish } from "../../schema/plan.ts";
import { withBringers } from "../brought-answers.ts";
import { evolve } from "../evolve/evolve.ts";
import { type ActiveRun, currentPhase, noRun, type RunState } from "../run.ts";

type EvidencePhase = RunPredicate["phases"][number];
type OverruledPhase = RunPredicate["overruled"][number];

/** Evidence about one phase, in the order of its events. */
export type PhaseEvidence = Pick<EvidencePhase, "reviews" | "gates" | "accepted">;

export type Evidence = {
  readonly phases: ReadonlyMap<PhaseKey, PhaseEvidence>;
  readonly overruled: readonly OverruledPhase[];
  /** Digest of the trusted test command at the end. */
  readonly tests: string | null;
  /** Chosen end of the run and the time since when it is sealed; each null before that. */
  readonly finish: Finish | null;
  readonly sealedAt: string | null;
};

/** Converts a passkey's signature for use elsewhere; null if no one else could verify it. */
export type Portable = (signature: PasskeySignature) => SignedGate | null;

type GatheredEvidence = {
  phases: Map<PhaseKey, PhaseEvidence>;
  overruled: OverruledPhase[];
  tests: string | null;
  finish: Finish | null;
  sealedAt: string | null;
  /** Signature recorded directly before the current event. */
  signed: SignedGate | null;
};

/** Collects reviews, answers, acceptances and overruled results in one pass through the journal. */
export function collectEvidence(events: readonly RunEvent[], portable: Portable): Evidence {
  const gathered: GatheredEvidence = {
    phases: new Map(),
    overruled: [],
    tests: null,
    finish: null,
    sealedAt: null,
    signed: null,
  };
  let state: RunState = noRun;
  for (const event of withBringers(events)) {
    if (event.type === "run.started") gathered.tests = event.tests?.digest ?? null;
    if (state.is === "active") gather(gathered, state, event);
    gathered.signed = event.type === "decision.signed" ? portable(event.signature) : null;
    state = evolve(state, event);
  }
  return { ...gathered, sealedAt: state.is === "none" ? null : state.sealedAt };
}

/** Returns the tree that accepting a phase's output would commit; null if it would commit nothing. */
export const approvedTree = (made: PhaseOutput | null): TreeId | null => made?.commitTree ?? made?.wholeTree ?? null;

export const toActor = ({ name, channel }: Person | Initiator): RunPredicate["startedBy"] => ({ name, channel });

/** The current phase, and the evidence gathered before an event. */
type At = { readonly gathered: GatheredEvidence; readonly run: ActiveRun; readonly key: PhaseKey | null };
type Gatherers = { readonly [T in RunEvent["type"]]?: (at: At, event: EventOf<T>) => void };

const gatherers: Gatherers = {
  "tests.accepted": ({ gathered }, { tests }) => {
    gathered.tests = tests?.digest ?? null;
  },
  "attempt.started": ({ gathered }, { phase }) => change(gathered, phase, { accepted: null }),
  "verdict.given": addReview,
  "gate.answered": (at, event) => {
    if (event.choice === "continue") for (const [what, name] of wentOver(at.run)) overrule(at, event, [what, name]);
    addGate(at, event);
  },
  "phase.accepted": ({ gathered, key }, { by, at }) =>
    change(gathered, key, { accepted: { by: by === "engine" ? by : toActor(by), at } }),
  "phase.skipped": (at, event) => overrule(at, event, ["phase", at.key ?? ""]),
  "step.skipped": (at, event) => overrule(at, event, ["step", event.from]),
  "supervision.loosened": (at, event) => overrule(at, event, ["supervision", "supervision"]),
  "finish.chosen": ({ gathered }, { how }) => {
    gathered.finish = how;
  },
  "run.wentBack": ({ gathered, run }, { to }) => forget(gathered, run, to),
};

function gather(gathered: GatheredEvidence, run: ActiveRun, event: RunEvent): void {
  const add = gatherers[event.type] as ((at: At, event: RunEvent) => void) | undefined; // keyed by `event.type`
  add?.({ gathered, run, key: currentPhase(run)?.rule.key ?? null }, event);
}

type What = readonly [what: OverruledPhase["what"], name: string];

function overrule({ gathered, key }: At, { by, at }: { by: Person; at: string }, [what, name]: What): void {
  gathered.overruled.push({ phase: key, what, name, by: toActor(by), at });
}

/** Lists what `continue` overrules: failed checks shown at the gate, and a review without approval. */
function wentOver(run: ActiveRun): What[] {
  const phase = currentPhase(run);
  const made = phase?.made ?? null;
  if (phase === undefined || made === null) return [];
  const shown = run.wait?.kind === "gate" ? run.wait.failures : [];
  const failed = [...shown, ...made.checks.filter(({ ok }) => ok === false)];
  const checks = [...new Set(failed.map(({ name }) => name))].map((name): What => ["check", name]);
  const { reviewer, verdicts } = phase.rule;
  return reviewer === null || verdicts === 0 || made.approved ? checks : [...checks, ["review", reviewer]];
}

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function addReview({ gathered, run }: At, event: EventOf<"verdict.given">): void {
  const phase = currentPhase(run);
  if (phase === undefined) return;
  const { key } = phase.rule;
  const { name } = run.run.reviewers?.[key] ?? run.run.reviewer ?? run.run.agent;
  const review = {
    attempt: phase.attempts,
    reviewer: name,
    approved: event.approved,
    open: countFindings(event.issues),
  };
  change(gathered, key, { reviews: [...of(gathered, key).reviews, review] });
}

function addGate({ gathered, run, key }: At, event: EventOf<"gate.answered">): void {
  if (key === null) return;
  const { wait, by, choice, shown, at } = event;
  const gate = {
    wait,
    by: { name: by.name, channel: by.channel },
    decision: choice,
    shown,
    tree: approvedTree(currentPhase(run)?.made ?? null),
    at,
    suspicious: by.suspicious !== undefined,
    ...(gathered.signed === null ? {} : { signed: gathered.signed }),
    ...(by.broughtBy === undefined ? {} : { broughtBy: by.broughtBy }),
  };
  change(gathered, key, { gates: [...of(gathered, key).gates, gate] });
}

function countFindings(issues: readonly Issue[]): FindingCount {
  const count = (severity: Issue["severity"]): number => issues.filter((issue) => issue.severity === severity).length;
  return { blocker: count("blocker"), warning: count("warning"), note: count("note") };
}

/** After a return, the target phase and all later ones must be accepted again. */
function forget(gathered: GatheredEvidence, run: ActiveRun, to: PhaseKey): void {
  const from = run.phases.findIndex(({ rule }) => rule.key === to);
  for (const { rule } of run.phases.slice(from)) change(gathered, rule.key, { accepted: null });
}

const of = ({ phases }: GatheredEvidence, key: PhaseKey): PhaseEvidence =>
  phases.get(key) ?? { reviews: [], gates: [], accepted: null };

function change(gathered: GatheredEvidence, key: PhaseKey | null, changed: Partial<PhaseEvidence>): void {
  if (key !== null) gathered.phases.set(key, { ...of(gathered, key), ...changed });
}
