import type { FindingCount, RunPredicate } from "../../schema/attestation.ts";
import type { Issue } from "../../schema/agent.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { Person, Starter } from "../../schema/people.ts";
import { evolve } from "../evolve.ts";
import { type ActiveRun, currentPhase, noRun, type RunState } from "../run.ts";

type Phase = RunPredicate["phases"][number];
type Overruled = RunPredicate["overruled"][number];

/** What happened to one phase, as the events tell it in their order. */
export type PhaseEvidence = Pick<Phase, "reviews" | "gates" | "accepted">;

export type Evidence = {
  readonly phases: ReadonlyMap<PhaseKey, PhaseEvidence>;
  readonly overruled: readonly Overruled[];
  /** Digest of the way tests are run, as it stands at the end. */
  readonly tests: string | null;
};

type Gathered = { phases: Map<PhaseKey, PhaseEvidence>; overruled: Overruled[]; tests: string | null };

/** Who decided what, and over what: gathered by going through the journal once. */
export function evidenceOf(events: readonly RunEvent[]): Evidence {
  const gathered: Gathered = { phases: new Map(), overruled: [], tests: null };
  let state: RunState = noRun;
  for (const event of events) {
    if (event.type === "run.started") gathered.tests = event.tests?.digest ?? null;
    if (state.is === "active") gather(gathered, state, event);
    state = evolve(state, event);
  }
  return gathered;
}

export const whoOf = ({ name, channel }: Person | Starter): RunPredicate["startedBy"] => ({ name, channel });

function gather(gathered: Gathered, run: ActiveRun, event: RunEvent): void {
  const key = currentPhase(run)?.rule.key ?? null;
  const overrule = (what: Overruled["what"], name: string, by: Person): void => {
    gathered.overruled.push({ phase: key, what, name, by: whoOf(by), at: event.at });
  };
  switch (event.type) {
    case "tests.accepted":
      gathered.tests = event.tests?.digest ?? null;
      return;
    case "attempt.started":
      return change(gathered, event.phase, { accepted: null });
    case "verdict.given":
      return addReview(gathered, run, event);
    case "gate.answered":
      if (event.choice === "continue") for (const [what, name] of wentOver(run)) overrule(what, name, event.by);
      return addGate(gathered, key, event);
    case "phase.accepted":
      return change(gathered, key, { accepted: { by: acceptedBy(event.by), at: event.at } });
    case "phase.skipped":
      return overrule("phase", key ?? "", event.by);
    case "step.skipped":
      return overrule("step", event.from, event.by);
    case "supervision.loosened":
      return overrule("supervision", "supervision", event.by);
    case "run.wentBack":
      return forget(gathered, run, event.to);
    default:
  }
}

const acceptedBy = (by: Person | "engine") => (by === "engine" ? by : whoOf(by));

/** Checks that failed before the person's eyes, and a reviewer that did not approve. */
function wentOver(run: ActiveRun): (readonly ["check" | "review", string])[] {
  const phase = currentPhase(run);
  const failures = run.wait?.kind === "gate" ? run.wait.failures : [];
  const failed = (phase?.made?.checks ?? []).filter(({ ok }) => ok === false);
  const checks = new Set([...failures, ...failed].map(({ name }) => name));
  const isJudged = (phase?.rule.reviewer ?? null) !== null && (phase?.rule.verdicts ?? 0) > 0;
  const review = isJudged && phase?.made?.approved === false ? [["review", phase.rule.reviewer ?? ""] as const] : [];
  return [...[...checks].map((name) => ["check", name] as const), ...review];
}

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function addReview(gathered: Gathered, run: ActiveRun, event: EventOf<"verdict.given">): void {
  const phase = currentPhase(run);
  if (phase === undefined) return;
  const { key } = phase.rule;
  const { name } = run.run.reviewers?.[key] ?? run.run.reviewer ?? run.run.agent;
  const review = { attempt: phase.attempts, reviewer: name, approved: event.approved, open: countOf(event.issues) };
  change(gathered, key, { reviews: [...of(gathered, key).reviews, review] });
}

function addGate(gathered: Gathered, key: PhaseKey | null, event: EventOf<"gate.answered">): void {
  if (key === null) return;
  const { wait, by, choice, shown, at } = event;
  const gate = { wait, by: whoOf(by), decision: choice, shown, at, suspicious: by.suspicious !== undefined };
  change(gathered, key, { gates: [...of(gathered, key).gates, gate] });
}

function countOf(issues: readonly Issue[]): FindingCount {
  const count = (severity: Issue["severity"]): number => issues.filter((issue) => issue.severity === severity).length;
  return { blocker: count("blocker"), warning: count("warning"), note: count("note") };
}

/** What a person went back over has to be accepted again. */
function forget(gathered: Gathered, run: ActiveRun, to: PhaseKey): void {
  const from = run.phases.findIndex(({ rule }) => rule.key === to);
  for (const { rule } of run.phases.slice(from)) change(gathered, rule.key, { accepted: null });
}

const of = ({ phases }: Gathered, key: PhaseKey): PhaseEvidence =>
  phases.get(key) ?? { reviews: [], gates: [], accepted: null };

function change(gathered: Gathered, key: PhaseKey | null, changed: Partial<PhaseEvidence>): void {
  if (key !== null) gathered.phases.set(key, { ...of(gathered, key), ...changed });
}
