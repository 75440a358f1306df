import { type GateSigner, otherThanSigned } from "../../core/attestation/signed-statement.ts";
import type { AttestedGate, RunStatement, SignedGate } from "../../schema/attestation.ts";
import { DECISION_NAMESPACE } from "../identity/decision-challenge.ts";
import { isRelyingPartyPage } from "../identity/relying-party.ts";
import { type PasskeyInSignature, passkeyIn } from "../identity/ssh-form.ts";
import { ownValue } from "../../core/own-value.ts";
import type { Doubt } from "./believe-envelope.ts";
import { checkSshSignature, type SignatureReading } from "./ssh-signature.ts";

export type GateSignersReading =
  | { readonly is: "checked"; readonly gateSigners: readonly GateSigner[] }
  | { readonly is: "refused"; readonly why: string };

/**
 * Finds the gates answered with a listed passkey. A signature that does not match its gate rejects the statement; a
 * signature of an unlisted key is ignored.
 */
export async function checkGateSigners({ predicate }: RunStatement, doubt: Doubt): Promise<GateSignersReading> {
  const gateSigners: GateSigner[] = [];
  for (const { key, gates } of predicate.phases)
    for (const [index, gate] of gates.entries()) {
      if (gate.signed === undefined) continue;
      const refuse = (why: string): GateSignersReading => ({ is: "refused", why: `the gate of ${key}: ${why}` });
      const other = otherThanSigned(predicate, gate);
      if (other !== null) return refuse(other);
      const checked = await checkDecision(gate, gate.signed, doubt);
      if (checked.is === "bad") return refuse(checked.why);
      if (checked.is === "stranger") continue;
      const { keyid, signers } = checked;
      gateSigners.push(...signers.map((signer) => ({ phase: key, gate: index, signer, keyid })));
    }
  return { is: "checked", gateSigners };
}

function checkDecision({ at }: AttestedGate, signed: SignedGate, doubt: Doubt): Promise<SignatureReading> {
  const sig = Buffer.from(signed.sig, "base64");
  const bad = (why: string): Promise<SignatureReading> => Promise.resolve({ is: "bad", why });
  const passkey = passkeyIn(sig);
  if (sig.toString("base64") !== signed.sig || passkey === null) return bad("it was not signed with a passkey");
  const why = wrongOrigin(passkey, signed.statement, doubt.origins);
  if (why !== null) return bad(why);
  const signature = { keyid: signed.keyid, sig };
  const bytes = Buffer.from(signed.statement, "utf8");
  const { signers, answers } = doubt;
  return checkSshSignature({ bytes, signature, namespace: DECISION_NAMESPACE, signers, at, answers });
}

/** Returns why a passkey must not sign on this page. Null if the page is allowed and named in the decision. */
function wrongOrigin(
  { origin, relyingParty }: PasskeyInSignature,
  statement: string,
  origins: readonly string[] | undefined,
): string | null {
  if (ownValue(JSON.parse(statement), "origin") !== origin) return "it was signed on another page than it names";
  const isAllowed = origins === undefined ? isRelyingPartyPage(relyingParty, origin) : origins.includes(origin);
  return isAllowed ? null : `it was signed on the page ${JSON.stringify(origin).slice(0, 200)}`;
}
