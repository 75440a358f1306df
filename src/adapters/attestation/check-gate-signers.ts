import type { GateSigner } from "../../core/attestation/coverage.ts";
import { otherThanSigned } from "../../core/attestation/signed-gate.ts";
import type { AttestedGate, RunStatement, SignedGate } from "../../schema/attestation.ts";
import { DECISION_NAMESPACE } from "../passkeys/decision-challenge.ts";
import { passkeyIn } from "../passkeys/ssh-form.ts";
import { checkSshSignature, type SignatureReading } from "./ssh-signature.ts";

export type GateSignersReading =
  | { readonly is: "checked"; readonly gateSigners: readonly GateSigner[] }
  | { readonly is: "refused"; readonly why: string };

/**
 * Which gates were answered with a passkey of somebody on the list. A signature that does not fit its gate is a
 * forgery, whoever vouches for the rest; one of a stranger counts for nothing.
 */
export async function checkGateSigners(
  { predicate }: RunStatement,
  signers: string | null,
): Promise<GateSignersReading> {
  const gateSigners: GateSigner[] = [];
  for (const { key, gates } of predicate.phases)
    for (const gate of gates) {
      if (gate.signed === undefined) continue;
      const refuse = (why: string): GateSignersReading => ({ is: "refused", why: `the gate of ${key}: ${why}` });
      const other = otherThanSigned(predicate.run, gate);
      if (other !== null) return refuse(other);
      const checked = await checkDecision(gate, gate.signed, signers);
      if (checked.is === "bad") return refuse(checked.why);
      const { wait, decision } = gate;
      if (checked.is === "good") gateSigners.push({ wait, decision, signer: checked.signer, keyid: checked.keyid });
    }
  return { is: "checked", gateSigners };
}

function checkDecision({ at }: AttestedGate, signed: SignedGate, signers: string | null): Promise<SignatureReading> {
  const sig = Buffer.from(signed.sig, "base64");
  if (sig.toString("base64") !== signed.sig || passkeyIn(sig) === null)
    return Promise.resolve({ is: "bad", why: "it was not signed with a passkey" });
  const bytes = Buffer.from(signed.statement, "utf8");
  return checkSshSignature({
    bytes,
    signature: { keyid: signed.keyid, sig },
    namespace: DECISION_NAMESPACE,
    signers,
    at,
  });
}
