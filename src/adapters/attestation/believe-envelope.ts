import { createHash } from "node:crypto";
import { findContradiction, findLandingContradiction } from "../../core/attestation/contradictions.ts";
import { parseInstant } from "../../core/attestation/instant.ts";
import { CLOCK_SKEW_MS } from "../../core/attestation/select-statements.ts";
import type {
  RefusedStatement,
  SignedLanding,
  SignedStatement,
  Signer,
} from "../../core/attestation/signed-statement.ts";
import type { LineCode } from "../../core/attestation/verification-codes.ts";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { isRunId } from "../../schema/ids.ts";
import { checkGateSigners } from "./check-gate-signers.ts";
import { type Envelope, readEnvelope, signedBytes } from "./dsse.ts";
import { readStatement } from "./read-statement.ts";
import { checkSshSignature, type KeygenAnswers, NAMESPACE } from "./ssh-signature.ts";

export type Belief =
  | { readonly is: "run"; readonly signed: SignedStatement }
  | { readonly is: "landing"; readonly signed: SignedLanding }
  | { readonly is: "refused"; readonly refused: RefusedStatement };

export type Doubt = {
  /** Path of an allowed_signers file. Null if no keys are known. */
  readonly signers: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Origins on which passkeys may sign. If missing: origins that fit the passkey. */
  readonly origins?: readonly string[] | undefined;
  /** Shared by the lines of one verification. */
  readonly answers: KeygenAnswers;
};

/**
 * Verifies one line of the notes. It counts if it is a complete statement, signed with a listed key. One invalid
 * signature rejects the line.
 */
export async function believeEnvelope(line: string, doubt: Doubt): Promise<Belief> {
  const reading = readEnvelope(line);
  if (reading.is === "refused") return refusal(null, "ENVELOPE_INVALID", reading.why);
  const { payload } = reading.envelope;
  const refuse = (code: LineCode, why: string): Belief => refusal(payload, code, why);
  const read = readStatement(payload);
  if (read.is === "refused") return refuse(read.code, read.why);
  if (parseInstant(read.statement.predicate.signedAt) > doubt.now + CLOCK_SKEW_MS)
    return refuse("SIGNED_IN_FUTURE", "it says that it was signed in the future");
  const contradiction =
    read.is === "run" ? findContradiction(read.statement) : findLandingContradiction(read.statement);
  if (contradiction !== null) return refuse("STATEMENT_CONTRADICTORY", contradiction);
  const signed = await checkSigners(reading.envelope, read.statement.predicate.signedAt, doubt);
  if (signed.is === "refused") return refuse(signed.code, signed.why);
  const { signers } = signed;
  if (read.is === "landing") return { is: "landing", signed: { statement: read.statement, signers } };
  const gates = await checkGateSigners(read.statement, doubt);
  if (gates.is === "refused") return refuse("GATE_SIGNATURE_BAD", gates.why);
  const text = payload.toString("utf8");
  const digest = createHash("sha256").update(payload).digest("hex");
  const { gateSigners } = gates;
  return { is: "run", signed: { statement: read.statement, text, digest, signers, gateSigners } };
}

type SignersReading =
  | { readonly is: "signed"; readonly signers: readonly Signer[] }
  | { readonly is: "refused"; readonly code: LineCode; readonly why: string };

async function checkSigners({ payload, signatures }: Envelope, at: string, doubt: Doubt): Promise<SignersReading> {
  const bytes = signedBytes(payload);
  const known: Signer[] = [];
  const strangers: string[] = [];
  for (const signature of signatures) {
    const question = { bytes, signature, namespace: NAMESPACE, signers: doubt.signers, at, answers: doubt.answers };
    const checked = await checkSshSignature(question);
    if (checked.is === "bad") return { is: "refused", code: "SIGNATURE_BAD", why: checked.why };
    if (checked.is === "stranger") strangers.push(checked.why);
    else known.push(...checked.signers.map((signer) => ({ signer, keyid: checked.keyid })));
  }
  return known.length === 0
    ? { is: "refused", code: "SIGNER_UNKNOWN", why: strangers[0] ?? "no one signed it" }
    : { is: "signed", signers: known };
}

function refusal(payload: Buffer | null, code: LineCode, why: string): Belief {
  const claims = payload === null ? NO_CLAIMS : claimsIn(payload);
  return { is: "refused", refused: { code, why, run: claims.run, commits: claims.commits } };
}

export type Claims = {
  readonly run: string | null;
  /** Commits named as subjects. */
  readonly commits: readonly string[];
  readonly value: unknown;
};

const NO_CLAIMS: Claims = { run: null, commits: [], value: null };

/** Returns the subjects claimed by a payload, valid or not. */
export function claimsIn(payload: Buffer): Claims {
  try {
    const value: unknown = JSON.parse(payload.toString("utf8"));
    const run = ownValue(ownValue(value, "predicate"), "run");
    const subject = ownValue(value, "subject");
    const commits = (Array.isArray(subject) ? subject : []).flatMap((one: unknown) => {
      const commit = isRecord(one) ? ownValue(ownValue(one, "digest"), "gitCommit") : null;
      return typeof commit === "string" ? [commit] : [];
    });
    return { run: isRunId(run) ? run : null, commits, value };
  } catch {
    return NO_CLAIMS;
  }
}
