import { isRecord, ownValue } from "../core/own-value.ts";
import { MAX_REDOS } from "../core/run.ts";

export type ReviewAction = {
  readonly phase: string;
  readonly action: string;
  readonly details: unknown;
  /** Time to use if the details contain none. */
  readonly now: string;
};

/** Appends to `active_workflow.review_history`, in place. Returns false if there is no workflow. */
export function appendReviewAction(state: unknown, { phase, action, details, now }: ReviewAction): boolean {
  const workflow = ownValue(state, "active_workflow");
  if (!isRecord(workflow)) return false;
  const timestamp = ownValue(details, "timestamp");
  const more = isRecord(details) ? Object.entries(details) : [];
  const named = new Set(["phase", "action", "timestamp"]);
  const entry = Object.fromEntries([
    ["phase", phase],
    ["action", action],
    ["timestamp", typeof timestamp === "string" ? timestamp : now],
    ...more.filter(([key]) => !named.has(key)),
  ]);
  const history = ownValue(workflow, "review_history");
  workflow["review_history"] = Array.isArray(history) ? [...(history as unknown[]), entry] : [entry];
  return true;
}

/** Reads the number of used redos from `state.json`. For an impossible number, returns the maximum: no redo is left. */
export function readRedoCount(state: unknown): number {
  const count = ownValue(ownValue(ownValue(state, "active_workflow"), "supervised_review"), "redo_count");
  if (count === undefined) return 0;
  const believable = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_REDOS;
  return believable ? count : MAX_REDOS;
}

/** Replaces `phases` with pending ones, in place. */
export function resetPhasesForWorkflow<S>(state: S, phases: unknown): S {
  if (!isRecord(state) || !Array.isArray(phases)) return state;
  const keys = (phases as unknown[]).filter((key) => typeof key === "string");
  (state as Record<string, unknown>)["phases"] = Object.fromEntries(keys.map((key) => [key, untouchedPhase()]));
  return state;
}

const untouchedPhase = () => ({
  status: "pending",
  started: null,
  completed: null,
  gate_passed: null,
  artifacts: [] as string[],
});
