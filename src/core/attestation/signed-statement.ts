import type { LandingStatement, RunStatement } from "../../schema/attestation.ts";
import type { CommitId, PhaseKey, RunId } from "../../schema/ids.ts";
import type { LineCode } from "./verification-codes.ts";

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
