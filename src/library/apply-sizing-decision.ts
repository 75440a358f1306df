import { recordSizing, type SizingDecisionOptions } from "./record-sizing.ts";

/**
 * Records the size of the work in the contents of `state.json`, with the current time unless the options contain one.
 */
export function applySizingDecision<S>(state: S, intensity: unknown, options: SizingDecisionOptions = {}): S {
  const warnings = recordSizing(state, intensity, { decided_at: new Date().toISOString(), ...options });
  for (const warning of warnings) process.stderr.write(`[sizing] ${warning.replaceAll(/\p{Cc}+/gu, " ")}\n`);
  return state;
}
