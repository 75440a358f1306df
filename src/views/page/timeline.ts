import type { TimelineSpan } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";

type Open = { readonly [K in TimelineSpan["kind"]]?: TimelineSpan };

/** What closes a span of a kind: its outcome, or null where the event does not end it. */
type Step = { readonly spans: readonly TimelineSpan[]; readonly open: Open; readonly phase: string | null };

/** When each part of a run began and ended: attempts, agents at work, checks, reviews and waits. */
export function timelineOf(events: readonly RunEvent[]): TimelineSpan[] {
  const end = events.reduce<Step>(follow, { spans: [], open: {}, phase: null });
  return [...end.spans, ...Object.values(end.open)].toSorted((one, other) => one.seq - other.seq);
}

function follow(before: Step, event: RunEvent): Step {
  const phase = event.type === "attempt.started" ? event.phase : before.phase;
  const closed = closings(event).reduce((step, ending) => close(step, event, ending), { ...before, phase });
  return openings(event).reduce((step, opening) => begin(step, event, opening), closed);
}

type Opening = Pick<TimelineSpan, "kind" | "name">;
type Ending = { readonly kind: TimelineSpan["kind"]; readonly outcome: string; readonly usage?: TimelineSpan["usage"] };

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Openings = { readonly [T in RunEvent["type"]]?: (event: Of<T>) => Opening };
type Endings = { readonly [T in RunEvent["type"]]?: (event: Of<T>) => readonly Ending[] };

const wait = (name: string) => (): Opening => ({ kind: "wait", name });
const answered = (outcome: string) => (): readonly Ending[] => [{ kind: "wait", outcome }];

const OPENINGS: Openings = {
  "attempt.started": ({ phase, attempt }) => ({ kind: "attempt", name: `${phase}#${attempt}` }),
  "execution.started": ({ role, claim }) => ({
    kind: role === "reviewer" ? "review" : "execution",
    name: claim.execution,
  }),
  "draft.produced": () => ({ kind: "check", name: "checks" }),
  "gate.opened": wait("gate"),
  "questions.asked": wait("questions"),
  "step.escalated": wait("escalation"),
  "sizing.asked": wait("sizing"),
  "budget.spent": wait("budget"),
  "finish.asked": wait("finish"),
};

/** Everything that is over at once. */
const all = (outcome: string) => (): readonly Ending[] =>
  (["attempt", "execution", "check", "review", "wait"] as const).map((kind) => ({ kind, outcome }));

const ENDINGS: Endings = {
  "execution.ended": ({ how, usage }) =>
    (["execution", "review"] as const).map((kind) => ({ kind, outcome: how, usage })),
  "verdict.given": ({ approved }) => [{ kind: "review", outcome: approved ? "approved" : "not approved" }],
  "checks.passed": () => [{ kind: "check", outcome: "passed" }],
  "checks.failed": () => [{ kind: "check", outcome: "failed" }],
  "phase.completed": () => [{ kind: "attempt", outcome: "completed" }],
  "phase.skipped": all("skipped"),
  "run.cancelled": all("cancelled"),
  "run.finished": all("ended"),
  "run.wentBack": all("ended"),
  "phase.restarted": all("ended"),
  "attempt.started": all("ended"),
  "gate.answered": ({ choice }) => (choice === "review" ? [] : [{ kind: "wait", outcome: choice }]),
  "questions.answered": answered("answered"),
  "step.retried": answered("retry"),
  "step.skipped": answered("skip"),
  "tests.accepted": answered("accept"),
  "sizing.decided": ({ effective }) => [{ kind: "wait", outcome: effective }],
  "budget.raised": answered("raise"),
  "finish.chosen": ({ how }) => [{ kind: "wait", outcome: how }],
};

function openings(event: RunEvent): readonly Opening[] {
  const tell = OPENINGS[event.type] as ((event: RunEvent) => Opening) | undefined; // keyed by the type just read
  return tell === undefined ? [] : [tell(event)];
}

function closings(event: RunEvent): readonly Ending[] {
  const tell = ENDINGS[event.type] as ((event: RunEvent) => readonly Ending[]) | undefined; // keyed by the type just read
  return tell?.(event) ?? [];
}

function begin(step: Step, { at, seq }: RunEvent, { kind, name }: Opening): Step {
  const span = { kind, phase: step.phase, name, from: at, to: null, outcome: null, usage: null, seq };
  return { ...step, open: { ...step.open, [kind]: span } };
}

/** A verdict comes with the end of its execution: the later word is the one that tells. */
function close(step: Step, { at }: RunEvent, { kind, outcome, usage = null }: Ending): Step {
  const { [kind]: span, ...open } = step.open;
  if (span !== undefined) return { ...step, open, spans: [...step.spans, { ...span, to: at, outcome, usage }] };
  if (kind !== "review" || !outcome.includes("approved")) return step;
  const last = step.spans.findLastIndex((one) => one.kind === "review");
  return { ...step, spans: step.spans.map((one, index) => (index === last ? { ...one, outcome } : one)) };
}
