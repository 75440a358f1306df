import { recordSizing, type SizingDecisionOptions } from "./record-sizing.ts";

/** Records in the contents of `state.json` how large the work is, with the time unless the options bring one. */
export function applySizingDecision<S>(state: S, intensity: unknown, options: SizingDecisionOptions = {}): S {
  const warnings = recordSizing(state, intensity, { decided_at: new Date().toISOString(), ...options });
  for (const warning of warnings) process.stderr.write(`[sizing] ${warning.replaceAll(/\p{Cc}+/gu, " ")}\n`);
  return state;
}
