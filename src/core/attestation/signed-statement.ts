import type { LandingStatement, RunStatement, AttestedGate, RunPredicate } from "../../schema/attestation.ts";
import type { CommitId, PhaseKey, RunId } from "../../schema/ids.ts";
import type { LineCode } from "./verification-codes.ts";
import { isRecord } from "../own-value.ts";

/** A principal in the list of signers, and the fingerprint of the key. */
export type Signer = { readonly signer: string; readonly keyid: string };

/** Signer of one answer to a gate: entry `gate` of the phase. */
export type GateSigner = Signer & { readonly phase: PhaseKey; readonly gate: number };

/** A run statement whose signatures are valid. */
export type SignedStatement = {
  readonly statement: RunStatement;
  /** Payload as signed. */
  readonly text: string;
  /** SHA-256 of the payload, in hexadecimal digits. */
  readonly digest: string;
  readonly signers: readonly Signer[];
  readonly gateSigners: readonly GateSigner[];
};

/** A landing statement whose signatures are valid. */
export type SignedLanding = { readonly statement: LandingStatement; readonly signers: readonly Signer[] };

/** A line that does not count. */
export type RefusedStatement = {
  readonly code: LineCode;
  readonly why: string;
  /** Run named in the payload, if it could be read. */
  readonly run: RunId | null;
  /** Commits named as subjects in the payload, if it could be read. */
  readonly commits: readonly CommitId[];
};

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
  if (said === null) return "the signed text is not a decision";
  if (said["run"] !== run) return "the signed decision belongs to another run";
  if (said["wait"] !== wait) return "the signed decision belongs to another gate";
  if (said["option"] !== decision) return "another answer was signed";
  if (said["shown"] !== shown) return "it was signed for something else than was shown";
  if (said["tree"] !== tree) return "it was signed for other files than were accepted";
  if (said["start"] !== git.start.commit) return "it was signed for a run that started at another commit";
  const { words } = said;
  return typeof words === "string" && DIGEST.test(words) ? null : "the signature does not cover the written text";
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
