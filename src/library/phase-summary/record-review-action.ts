import { appendReviewAction } from "../review-record.ts";

/**
 * Appends one gate choice to `active_workflow.review_history`, in memory only, with the current time unless the
 * details contain one. Returns false if there is no workflow to record it in.
 */
// oxlint-disable-next-line max-params -- the published signature
export function recordReviewAction(state: unknown, phaseKey: string, action: string, details: unknown = {}): boolean {
  try {
    return appendReviewAction(state, { phase: phaseKey, action, details, now: new Date().toISOString() });
  } catch {
    return false; // frozen or guarded state
  }
}
