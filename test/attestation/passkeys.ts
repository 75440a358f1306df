import { signedBytes, encodeEnvelope } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import { readSigningKey, NAMESPACE } from "../../src/adapters/attestation/ssh-signature.ts";
import { DECISION_NAMESPACE } from "../../src/adapters/identity/decision-challenge.ts";
import { challengeFor, sshKeyLine, toSshSignature } from "../../src/adapters/identity/ssh-form.ts";
import type { AttestedGate, RunStatement, SignedGate } from "../../src/schema/attestation.ts";
import { type Authenticator, createAuthenticator, type How } from "../support/authenticator.ts";

const ORIGIN = "http://localhost:21000";
export const authenticator: Authenticator = createAuthenticator(ORIGIN);

/** A run, and the commit at which it started. */
export type SignedRun = { readonly run: string; readonly start: string };

/** The line of a list of signers for an authenticator's key. */
export function signerLine(name: string, { passkey }: Authenticator = authenticator): string {
  return `${name} ${sshKeyLine(passkey) ?? "no key that OpenSSH has a form for"}`;
}

export type Signing = How & { readonly with?: Authenticator; readonly namespace?: string };

/** A passkey signature in the format of ssh-keygen. */
export function passkeySignature(bytes: Buffer, { with: by = authenticator, namespace = NAMESPACE, ...how }: Signing) {
  const { id, signature, ...assertion } = by.assert(challengeFor(bytes, namespace), how);
  const made = { passkey: id, bytes: signature, ...assertion };
  const sig = toSshSignature(made, { key: by.passkey, namespace });
  const keyid = sig === null ? null : readSigningKey(sig);
  if (sig === null || keyid === null) throw new Error("the passkey's signature has no form of SSH");
  return { keyid, sig };
}

/** The signed text of an answer to a gate. */
export const decisionText = ({ run, start }: SignedRun, { wait, decision, shown, tree }: AttestedGate): string =>
  JSON.stringify({
    run,
    start,
    wait,
    option: decision,
    shown,
    tree,
    words: "a".repeat(64),
    phase: null,
    origin: ORIGIN,
    nonce: "n",
  });

export function signedDecision(statement: string, how: Signing = {}): SignedGate {
  const { keyid, sig } = passkeySignature(Buffer.from(statement), { namespace: DECISION_NAMESPACE, ...how });
  return { statement, keyid, sig: sig.toString("base64") };
}

/** A gate that was answered with the passkey. */
export function approved(run: SignedRun, gate: AttestedGate, how: Signing = {}): AttestedGate {
  return { ...gate, by: { ...gate.by, channel: "passkey" }, signed: signedDecision(decisionText(run, gate), how) };
}

/** The statement with every gate changed. */
export function withGates(statement: RunStatement, change: (gate: AttestedGate) => AttestedGate): RunStatement {
  const phases = statement.predicate.phases.map((phase) => ({ ...phase, gates: phase.gates.map(change) }));
  return { ...statement, predicate: { ...statement.predicate, phases } };
}

/** An envelope signed with a passkey instead of git's key. */
export function passkeyEnvelope(statement: RunStatement, how: Signing = {}): string {
  const payload = encodeStatement(statement);
  return encodeEnvelope({ payload, signatures: [passkeySignature(signedBytes(payload), how)] });
}
