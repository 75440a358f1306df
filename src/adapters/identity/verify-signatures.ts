import type { FoundSignatures } from "../../core/attestation/find-signatures.ts";
import { ownValue } from "../../core/own-value.ts";
import type { PasskeyKey, PasskeySignature } from "../../schema/passkey.ts";
import { isRelyingPartyPage, THIS_MACHINE } from "./relying-party.ts";
import { verifyDecision } from "./verify-assertion.ts";

export type WrongSignature = { readonly seq: number; readonly detail: string };

/** Returns the errors in the signed decisions of a journal, in its order. */
export async function verifySignatures({ signatures, wrong }: FoundSignatures): Promise<readonly WrongSignature[]> {
  const verified = await Promise.all(
    signatures.map(async ({ seq, signature, key }) => ({
      seq,
      result: await verifyDecision(signature, { key, origin: signedOrigin(signature, key), counter: 0 }),
    })),
  );
  const refused = verified.flatMap(({ seq, result }) => (result.ok ? [] : [{ seq, detail: result.detail }]));
  return [...wrong, ...refused].toSorted((one, other) => one.seq - other.seq);
}

/** Origin that the signed decision names, with port. Null if it names none that the passkey was made for. */
function signedOrigin({ statement }: PasskeySignature, { relyingParty = THIS_MACHINE }: PasskeyKey): string | null {
  try {
    const origin = ownValue(JSON.parse(statement), "origin");
    return typeof origin === "string" && isRelyingPartyPage(relyingParty, origin) ? origin : null;
  } catch {
    return null;
  }
}
