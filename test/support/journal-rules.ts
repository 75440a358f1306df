import type { RunEvent } from "../../src/schema/event.ts";
import type { PhaseRule, Supervision } from "../../src/schema/plan.ts";

/** One promise of the core that was broken, with where. */
export type Violation = { readonly rule: string; readonly where: string };

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** A second, simpler reading of a journal: it knows the promises, and nothing of the core's state. */
type Reading = {
  plan: readonly PhaseRule[];
  index: number;
  supervision: Supervision;
  wait: string | null;
  claimed: string | null;
  ended: boolean;
  redos: Map<string, number>;
  attempts: Map<string, number>;
  attempt: Attempt;
  /** Set at `phase.completed`: must a person continue before this may be accepted? */
  due: boolean;
  continued: boolean;
};

/** What was found out since the attempt began. */
type Attempt = { draft: boolean; checks: boolean; verdicts: number; approved: boolean; failures: number; digest: string; same: number };

const fresh: Attempt = { draft: false, checks: false, verdicts: 0, approved: false, failures: 0, digest: "", same: 0 };

const OPENS: readonly RunEvent["type"][] = ["gate.opened", "questions.asked", "step.escalated", "finish.asked"];
const CLOSES: readonly RunEvent["type"][] = ["questions.answered", "step.retried", "step.skipped", "tests.accepted"];
const LARGE = 80;
const REDOS = 3;

/** Which promises this journal breaks. Written from the design, not from the code under test. */
export function journalViolations(events: readonly RunEvent[]): Violation[] {
  const [first] = events;
  if (first?.type !== "run.started") return [{ rule: "a journal begins with run.started", where: "1" }];
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
  };
  return events.slice(1).flatMap((event, index) => {
    const following = events[index + 2];
    return read(reading, event, following).map((rule) => ({ rule, where: `${event.seq} ${event.type}` }));
  });
}

function read(reading: Reading, event: RunEvent, following: RunEvent | undefined): string[] {
  const broken = [
    ...(reading.ended ? ["nothing is recorded after the end"] : []),
    ...readWaits(reading, event),
    ...readClaims(reading, event),
    ...readLimits(reading, event, following),
    ...readProof(reading, event),
    ...readAcceptance(reading, event),
  ];
  if (event.type === "phase.left") reading.index += 1;
  if (event.type === "run.finished" || event.type === "run.cancelled") reading.ended = true;
  return broken;
}

function readWaits(reading: Reading, event: RunEvent): string[] {
  if (OPENS.includes(event.type)) {
    const two = reading.wait !== null;
    reading.wait = event.type;
    return two ? ["never two waits"] : [];
  }
  const answers = CLOSES.includes(event.type) || event.type === "gate.answered" || event.type === "supervision.loosened";
  const unasked = answers && reading.wait === null ? ["only an open wait is answered"] : [];
  const paused = event.type === "gate.answered" && event.choice === "review";
  if (CLOSES.includes(event.type) || event.type === "finish.chosen" || (event.type === "gate.answered" && !paused))
    reading.wait = null;
  const movedOn = reading.wait !== null && ["attempt.started", "phase.left", "phase.accepted", "run.finished"].includes(event.type);
  return [...unasked, ...(movedOn ? ["nothing advances while a person is asked"] : [])];
}

function readClaims(reading: Reading, event: RunEvent): string[] {
  if (event.type === "execution.started") {
    const twice = reading.claimed !== null;
    reading.claimed = event.claim.execution;
    return twice ? ["an execution is claimed once"] : [];
  }
  if (event.type === "execution.ended" || event.type === "step.retried" || event.type === "phase.skipped") reading.claimed = null;
  return [];
}

function readLimits(reading: Reading, event: RunEvent, following: RunEvent | undefined): string[] {
  const rule = reading.plan[reading.index];
  if (event.type === "gate.answered" && event.choice === "redo") {
    const redos = count(reading.redos, rule?.key);
    return redos > REDOS ? ["no phase is redone more than three times"] : [];
  }
  if (event.type === "verdict.given") {
    const beyond = reading.attempt.verdicts + 1 > (rule?.verdicts ?? 0);
    return beyond ? ["no attempt has more verdicts than its rule allows"] : [];
  }
  if (event.type !== "checks.failed" || rule === undefined) return [];
  const { attempt } = reading;
  attempt.failures += 1;
  attempt.same = attempt.digest === event.digest ? attempt.same + 1 : 1;
  attempt.digest = event.digest;
  const spent = attempt.failures >= rule.checks.limit || attempt.same >= rule.checks.breaker;
  const escalated = following?.type === "step.escalated" && following.from === "check";
  if (spent !== escalated) return ["checks escalate at their limit or at the breaker, and not before"];
  return [];
}

function readProof(reading: Reading, event: RunEvent): string[] {
  const rule = reading.plan[reading.index];
  const { attempt } = reading;
  switch (event.type) {
    case "attempt.started": {
      reading.attempt = { ...fresh };
      const counted = count(reading.attempts, rule?.key);
      return event.attempt === counted && event.phase === rule?.key ? [] : ["attempts are counted without gaps"];
    }
    case "draft.produced":
      Object.assign(attempt, { draft: true, checks: false, approved: false });
      return [];
    case "checks.passed":
      Object.assign(attempt, { checks: true, digest: "", same: 0 });
      return attempt.draft ? [] : ["only a draft of this attempt is checked"];
    case "verdict.given": {
      const blocked = event.issues.some((issue) => issue.severity === "blocker");
      Object.assign(attempt, { verdicts: attempt.verdicts + 1, approved: event.approved && !blocked });
      if (!attempt.checks) return ["checks pass before a reviewer is asked"];
      return event.approved && blocked ? ["approved means that this attempt got a verdict without a blocker"] : [];
    }
    case "phase.completed":
      return completedUnproven(attempt, event, rule);
    default:
      return [];
  }
}

function completedUnproven(attempt: Attempt, event: Of<"phase.completed">, rule: PhaseRule | undefined): string[] {
  const unreviewed = (rule?.verdicts ?? 0) > 0 && attempt.verdicts === 0;
  return [
    ...(attempt.draft && attempt.checks && !unreviewed ? [] : ["only what this attempt proved is completed"]),
    ...(event.made.approved === attempt.approved ? [] : ["approved means that this attempt got a verdict without a blocker"]),
    ...(attempt.verdicts > 0 && !attempt.approved && event.made.concerns.length === 0 ? ["what is not approved has concerns"] : []),
  ];
}

function readAcceptance(reading: Reading, event: RunEvent): string[] {
  const rule = reading.plan[reading.index];
  switch (event.type) {
    case "phase.completed": {
      const { settings, made } = event;
      const asked = settings.is === "set" && isCovered(settings, rule);
      const large = rule?.gate === "large" && made.lines > LARGE;
      reading.due = rule?.gate === "always" || large || asked || isCovered(reading.supervision, rule);
      reading.continued = false;
      return [];
    }
    case "gate.answered":
      if (event.choice === "continue") reading.continued = isPerson(event.by);
      return [];
    case "supervision.tightened": {
      const lost = lostGates(reading.plan, reading.supervision, event.supervision);
      reading.supervision = event.supervision;
      return lost ? ["settings never take a gate away"] : [];
    }
    case "supervision.loosened":
      reading.supervision = event.supervision;
      return isPerson(event.by) ? [] : ["only a person loosens supervision"];
    case "phase.accepted":
      return reading.due && !reading.continued ? ["a due gate is passed by a person's continue only"] : [];
    default:
      return [];
  }
}

/** Whether some phase of the plan had a gate before and has none after. */
export function lostGates(plan: readonly PhaseRule[], before: Supervision, after: Supervision): boolean {
  return plan.some((rule) => isCovered(before, rule) && !isCovered(after, rule));
}

function isCovered({ enabled, phases }: Supervision, rule: PhaseRule | undefined): boolean {
  if (!enabled || rule === undefined) return false;
  return phases === "all" || phases.some((phase) => phase === rule.key || rule.key.startsWith(`${phase}-`));
}

const isPerson = (by: { readonly channel: string }): boolean => by.channel !== "agent" && by.channel !== "script";

function count(counts: Map<string, number>, key = ""): number {
  const counted = (counts.get(key) ?? 0) + 1;
  counts.set(key, counted);
  return counted;
}
