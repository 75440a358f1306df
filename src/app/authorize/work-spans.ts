import type { Span } from "../../ports/callers.ts";
import type { RunEvent } from "../../schema/event.ts";

const RESTS: ReadonlySet<RunEvent["type"]> = new Set([
  "gate.opened",
  "questions.asked",
  "step.escalated",
  "finish.asked",
  "run.finished",
  "run.cancelled",
]);

/**
 * When code of an agent could run: from an execution's start until the run rests, and from an answer until it rests
 * again, as tests and hooks an agent left behind run then too. Waiting for a person is no such time.
 */
export function workSpans(events: readonly RunEvent[]): readonly Span[] {
  const spans: Span[] = [];
  let since: number | null = null;
  for (const event of events) {
    if (since === null && begins(event, spans.length > 0)) since = Date.parse(event.at);
    if (since === null || !RESTS.has(event.type)) continue;
    spans.push({ since, until: Date.parse(event.at) });
    since = null;
  }
  return since === null ? spans : [...spans, { since, until: null }];
}

function begins(event: RunEvent, hasWorked: boolean): boolean {
  if (event.type === "execution.started") return true;
  const pauses = event.type === "gate.answered" && event.choice === "review";
  return hasWorked && !pauses && event.type !== "supervision.loosened" && !RESTS.has(event.type);
}
