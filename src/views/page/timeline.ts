import { isFailure } from "../../core/baseline.ts";
import type { TimelineSpan } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";
import { withBringers } from "../../core/brought-answers.ts";
import { sentence } from "../history.ts";
import type { Story, StoryEntry } from "../../schema/api-history.ts";
import { tokens } from "../metrics.ts";
import { attemptText, namePlanned, type NamePhase } from "../phase-names.ts";

/** Ended spans in the order of their end, open spans, and the current phase. */
type TimelineStep = {
  readonly spans: TimelineSpan[];
  readonly open: Map<TimelineSpan["kind"], TimelineSpan>;
  phase: string | null;
};

/** Lists the parts of a run with start and end: attempts, executions, checks, reviews and waits. */
export function buildTimeline(events: readonly RunEvent[]): TimelineSpan[] {
  const step: TimelineStep = { spans: [], open: new Map(), phase: null };
  for (const event of events) {
    if (event.type === "attempt.started") step.phase = event.phase;
    for (const ending of closings(event)) close(step, event, ending);
    for (const opening of openings(event)) begin(step, event, opening);
  }
  return [...step.spans, ...step.open.values()].toSorted((one, other) => one.seq - other.seq);
}

type SpanStart = Pick<TimelineSpan, "kind" | "name">;
type SpanEnd = {
  readonly kind: TimelineSpan["kind"];
  readonly outcome: string;
  readonly usage?: TimelineSpan["usage"];
};

type EventOfType<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Openings = { readonly [T in RunEvent["type"]]?: (event: EventOfType<T>) => SpanStart };
type Endings = { readonly [T in RunEvent["type"]]?: (event: EventOfType<T>) => readonly SpanEnd[] };

const wait = (name: string) => (): SpanStart => ({ kind: "wait", name });
const answered = (outcome: string) => (): readonly SpanEnd[] => [{ kind: "wait", outcome }];

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

/** Ends all open spans. */
const all = (outcome: string) => (): readonly SpanEnd[] =>
  (["attempt", "execution", "check", "review", "wait"] as const).map((kind) => ({ kind, outcome }));

const ENDINGS: Endings = {
  "execution.ended": ({ how, usage }) =>
    (["execution", "review"] as const).map((kind) => ({ kind, outcome: how, usage })),
  "verdict.given": ({ approved }) => [{ kind: "review", outcome: approved ? "approved" : "not approved" }],
  "checks.passed": () => [{ kind: "check", outcome: "passed" }],
  "checks.recorded": ({ results }) => [{ kind: "check", outcome: results.some(isFailure) ? "failed" : "passed" }],
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

function openings(event: RunEvent): readonly SpanStart[] {
  const tell = OPENINGS[event.type] as ((event: RunEvent) => SpanStart) | undefined; // keyed by the event's type
  return tell === undefined ? [] : [tell(event)];
}

function closings(event: RunEvent): readonly SpanEnd[] {
  const tell = ENDINGS[event.type] as ((event: RunEvent) => readonly SpanEnd[]) | undefined; // keyed by the event's type
  return tell?.(event) ?? [];
}

function begin({ open, phase }: TimelineStep, { at, seq }: RunEvent, { kind, name }: SpanStart): void {
  open.set(kind, { kind, phase, name, from: at, to: null, outcome: null, usage: null, seq });
}

/** Ends an open span. If a verdict follows the end of its execution, it replaces the outcome of that review. */
function close({ spans, open }: TimelineStep, { at }: RunEvent, { kind, outcome, usage = null }: SpanEnd): void {
  const span = open.get(kind);
  open.delete(kind);
  if (span !== undefined) spans.push({ ...span, to: at, outcome, usage });
  else if (kind === "review" && outcome.includes("approved")) {
    const last = spans.findLastIndex((one) => one.kind === "review");
    const reviewed = spans[last];
    if (reviewed !== undefined) spans[last] = { ...reviewed, outcome };
  }
}

/** Maximum number of events per response. A longer story is read in parts. */
export const STORY_PART = 500;

/** Describes events as sentences, starting with event number `from`. */
export function buildStory(events: readonly RunEvent[], from: number, name = namePlanned(events)): Story {
  let phase: string | null = null;
  const entries: StoryEntry[] = [];
  for (const event of withBringers(events)) {
    if (event.type === "attempt.started") phase = event.phase;
    if (event.seq < from) continue;
    if (entries.length === STORY_PART) return { entries, next: event.seq };
    entries.push({
      seq: event.seq,
      at: event.at,
      type: event.type,
      phase,
      text: told(event, name),
      by: findActor(event),
    });
  }
  return { entries, next: null };
}

/** Omits the phase, which is displayed above, and adds usage. */
function told(event: RunEvent, name: NamePhase): string {
  if (event.type === "attempt.started")
    return `attempt ${event.attempt} begins${event.brief.why === "first" ? "" : ` (${event.brief.why})`}`;
  if (event.type === "execution.started")
    return `${event.role === "reviewer" ? "reviewer" : "agent"} starts: ${attemptText(event.claim.execution, name)}`;
  if (event.type === "execution.ended" && event.usage !== null)
    return [sentence(event, name), tokens(event.usage)].filter((part) => part !== "").join(", ");
  return sentence(event, name);
}

function findActor(event: RunEvent): StoryEntry["by"] {
  if (!("by" in event) || typeof event.by === "string") return null;
  const { name, channel } = event.by;
  return { name, channel, suspicious: "suspicious" in event.by ? (event.by.suspicious ?? null) : null };
}
