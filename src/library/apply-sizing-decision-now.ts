import { applySizingDecision, type SizingDecisionOptions } from "./apply-sizing-decision.ts";

/** Records in the contents of `state.json` how large the work is, with the time unless the options bring one. */
export function applySizingDecisionNow<S>(state: S, intensity: unknown, options: SizingDecisionOptions = {}): S {
  return applySizingDecision(state, intensity, { decided_at: new Date().toISOString(), ...options });
}
