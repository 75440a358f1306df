import type { RunEvent } from "../../src/schema/event.ts";
import type { PhaseRule, Supervision } from "../../src/schema/plan.ts";
import { goingBack, refinement, sizing } from "./course-rules.ts";
import {
  fresh,
  isPerson,
  type EventOfType,
  type Reading,
  type Readers,
  ruleAtHand,
  unless,
} from "./journal-reading.ts";

/** A violated guarantee of the core, and its location. */
export type Violation = { readonly rule: string; readonly where: string };

const LARGE = 80;
const REDOS = 3;

/** Lists the guarantees violated by this journal. Written from the design, not from the code under test. */
export function journalViolations(events: readonly RunEvent[]): Violation[] {
  const [first] = events;
  if (first?.type !== "run.started") return [{ rule: "a journal starts with run.started", where: "1" }];
  const reading: Reading = {
    plan: first.plan,
    index: 0,
    supervision: first.supervision,
    wait: null,
    claimed: null,
    ended: false,
    redos: new Map(),
    attempts: new Map(),
    attempt: fresh,
    due: false,
    continued: false,
    options: first.options,
    dropped: new Set(),
    sizedAt: null,
    refined: false,
    rejected: 0,
    rewinding: false,
    skipped: false,
    unmeasured: false,
  };
  return events.slice(1).flatMap((event, index) => {
    const following = events[index + 2];
    return read(reading, event, following).map((rule) => ({ rule, where: `${event.seq} ${event.type}` }));
  });
}

function read(reading: Reading, event: RunEvent, following: RunEvent | undefined): string[] {
  const late = unless(!reading.ended, "the end of a run is its last event");
  const broken = [waits, claims, limits, proof, acceptance, sizing, refinement, goingBack].flatMap((readers) => {
    const reader = readers[event.type] as Readers["run.prepared"] | undefined; // keyed by the type of the event
    return reader?.(reading, event as EventOfType<"run.prepared">, following) ?? [];
  });
  if (event.type === "phase.left") moveOn(reading);
  reading.ended ||= event.type === "run.finished" || event.type === "run.cancelled";
  return [...late, ...broken];
}

function moveOn(reading: Reading): void {
  do reading.index += 1;
  while (reading.dropped.has(reading.plan[reading.index]?.key ?? ""));
}

function opens(reading: Reading, event: RunEvent): string[] {
  const free = reading.wait === null;
  reading.wait = event.type;
  return unless(free, "a run has at most one wait");
}

function closes(reading: Reading): string[] {
  const open = reading.wait !== null;
  reading.wait = null;
  return unless(open, "answers belong to an open wait");
}

/** Closes an open wait through a decision about the run itself. */
function overtakes(reading: Reading): string[] {
  reading.wait = null;
  return [];
}

const movesOn = (reading: Reading): string[] => unless(reading.wait === null, "a run does not advance during a wait");

const waits: Readers = {
  "gate.opened": opens,
  "questions.asked": opens,
  "step.escalated": opens,
  "finish.asked": opens,
  "sizing.asked": opens,
  "budget.spent": opens,
  "budget.raised": closes,
  "writes.takenOut": (reading) => unless(reading.wait === "gate.opened", "answers belong to an open wait"),
  "phase.restarted": overtakes,
  "phase.skipped": overtakes,
  "run.wentBack": overtakes,
  "after.started": movesOn,
  "tasks.refined": movesOn,
  "run.rewound": movesOn,
  "questions.answered": closes,
  "step.retried": closes,
  "step.skipped": closes,
  "tests.accepted": closes,
  "lines.included": closes,
  "baseline.settled": (reading, event) => (event.wait === undefined ? movesOn(reading) : closes(reading)),
  "gate.answered": (reading, event) =>
    event.choice === "review" ? unless(reading.wait !== null, "answers belong to an open wait") : closes(reading),
  "supervision.loosened": (reading) => unless(reading.wait === "gate.opened", "answers belong to an open wait"),
  "finish.chosen": (reading, event) => (event.by === "engine" ? [] : closes(reading)),
  "attempt.started": movesOn,
  "phase.accepted": movesOn,
  "phase.left": movesOn,
  "run.finished": movesOn,
};

function releases(reading: Reading): string[] {
  reading.claimed = null;
  return [];
}

const isFree = (reading: Reading): string[] => unless(reading.claimed === null, "decisions leave no execution running");

const claims: Readers = {
  "execution.started": (reading, event) => {
    const free = reading.claimed === null;
    reading.claimed = event.claim.execution;
    return unless(free, "an execution is claimed once");
  },
  "execution.ended": releases,
  "step.retried": releases,
  "phase.skipped": isFree,
  "phase.restarted": isFree,
  "run.wentBack": isFree,
};

const limits: Readers = {
  "gate.answered": (reading, event) => {
    if (event.choice !== "redo") return [];
    return unless(count(reading.redos, ruleAtHand(reading).key) <= REDOS, "no phase is redone more than three times");
  },
  "verdict.given": (reading) =>
    unless(
      reading.attempt.verdicts < ruleAtHand(reading).verdicts,
      "no attempt has more verdicts than its rule allows",
    ),
  "checks.failed": (reading, event, following) => {
    const { attempt } = reading;
    const { limit, breaker } = ruleAtHand(reading).checks;
    attempt.failures += 1;
    attempt.same = attempt.digest === event.digest ? attempt.same + 1 : 1;
    attempt.digest = event.digest;
    const spent = attempt.failures >= limit || attempt.same >= breaker;
    const escalated = following?.type === "step.escalated" && following.from === "check";
    return unless(spent === escalated, "checks escalate exactly at their limit or the circuit breaker");
  },
};

const APPROVED = "approved work has a verdict of this attempt without blockers";

const proof: Readers = {
  "attempt.started": (reading, event) => {
    const { key } = ruleAtHand(reading);
    reading.attempt = { ...fresh };
    reading.skipped = false;
    const isNext = event.attempt === count(reading.attempts, key) && event.phase === key;
    return unless(isNext, "attempts are numbered without gaps");
  },
  "draft.produced": ({ attempt }) => {
    Object.assign(attempt, { draft: true, checks: false, approved: false });
    return [];
  },
  "checks.passed": ({ attempt }) => {
    Object.assign(attempt, { checks: true, digest: "", same: 0 });
    return unless(attempt.draft, "only a draft of this attempt is checked");
  },
  "checks.recorded": ({ attempt }) => {
    Object.assign(attempt, { checks: true, digest: "", same: 0 });
    return unless(attempt.draft, "only a draft of this attempt is checked");
  },
  "verdict.given": ({ attempt }, event) => {
    const blocked = event.issues.some((issue) => issue.severity === "blocker");
    Object.assign(attempt, { verdicts: attempt.verdicts + 1, approved: event.approved && !blocked });
    return [
      ...unless(attempt.checks, "checks pass before a review"),
      ...unless(!(event.approved && blocked), APPROVED),
    ];
  },
  "phase.completed": (reading, { made }) => {
    const { draft, checks, verdicts, approved } = reading.attempt;
    const reviewed = verdicts > 0 || ruleAtHand(reading).verdicts === 0;
    return [
      ...unless(draft && checks && reviewed, "completion requires results of this attempt"),
      ...unless(made.approved === approved, APPROVED),
      ...unless(approved || verdicts === 0 || made.concerns.length > 0, "unapproved work has concerns"),
    ];
  },
};

const acceptance: Readers = {
  "phase.completed": (reading, { settings, made }) => {
    const rule = ruleAtHand(reading);
    const ruled = rule.gate === "always" || (rule.gate === "large" && made.lines > LARGE);
    const asked = settings.is === "set" && isCovered(settings, rule);
    reading.due = ruled || asked || isCovered(reading.supervision, rule);
    reading.continued = false;
    return [];
  },
  "gate.answered": (reading, event) => {
    if (event.choice === "continue") reading.continued = isPerson(event.by);
    return [];
  },
  "supervision.tightened": (reading, { supervision }) => {
    const lost = lostGates(reading.plan, reading.supervision, supervision);
    reading.supervision = supervision;
    return unless(!lost, "settings never remove a gate");
  },
  "supervision.loosened": (reading, event) => {
    reading.supervision = event.supervision;
    return unless(isPerson(event.by), "only a person relaxes supervision");
  },
  "phase.accepted": (reading) =>
    unless(!reading.due || reading.continued, "only a person's continue passes a due gate"),
};

/** True if a phase of the plan loses its gate. */
export function lostGates(plan: readonly PhaseRule[], before: Supervision, after: Supervision): boolean {
  return plan.some((rule) => isCovered(before, rule) && !isCovered(after, rule));
}

function isCovered({ enabled, phases }: Supervision, rule: PhaseRule): boolean {
  if (!enabled) return false;
  return phases === "all" || phases.some((phase) => phase === rule.key || rule.key.startsWith(`${phase}-`));
}

function count(counts: Map<string, number>, key: string): number {
  const counted = (counts.get(key) ?? 0) + 1;
  counts.set(key, counted);
  return counted;
}
