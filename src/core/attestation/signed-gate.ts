import type { AttestedGate, RunPredicate } from "../../schema/attestation.ts";
import { isRecord } from "../own-value.ts";

const DIGEST = /^[0-9a-f]{64}$/;

type GateRun = Pick<RunPredicate, "run" | "git">;

/**
 * Returns how a gate differs from the decision signed with its passkey. Null if both agree, or the gate has no
 * signature.
 */
export function otherThanSigned({ run, git }: GateRun, gate: AttestedGate): string | null {
  const { wait, decision, shown, tree, by, signed } = gate;
  if (signed === undefined) return null;
  if (by.channel !== "passkey") return "a passkey signed it, and it says that it was answered in another way";
  const said = parsed(signed.statement);
  if (said === null) return "what was signed is not a decision";
  if (said["run"] !== run) return "what was signed belongs to another run";
  if (said["wait"] !== wait) return "what was signed belongs to another gate";
  if (said["option"] !== decision) return "another answer was signed";
  if (said["shown"] !== shown) return "it was signed for something else than was shown";
  if (said["tree"] !== tree) return "it was signed for other files than were accepted";
  if (said["start"] !== git.start.commit) return "it was signed for a run that started at another commit";
  const { words } = said;
  return typeof words === "string" && DIGEST.test(words) ? null : "what was written is not covered by what was signed";
}

/** Accepts only the canonical form of JSON: other readers could interpret repeated keys differently. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}
