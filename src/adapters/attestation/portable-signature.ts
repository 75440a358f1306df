import type { Portable } from "../../core/attestation/evidence.ts";
import { ownValue } from "../../core/own-value.ts";
import type { PasskeyKey } from "../../schema/passkey.ts";
import { areWordsSigned, DECISION_NAMESPACE } from "../passkeys/decision-challenge.ts";
import { toSshSignature } from "../passkeys/ssh-form.ts";
import { readSigningKey } from "./ssh-signature.ts";

/** Signatures of decisions as they travel, for those made with one of these keys, or with one that came with them. */
export function portableWith(keys: readonly PasskeyKey[]): Portable {
  return (signature) => {
    const key = keys.find(({ id }) => id === signature.passkey) ?? signature.key;
    const sig = key === undefined ? null : toSshSignature(signature, { key, namespace: DECISION_NAMESPACE });
    const keyid = sig === null ? null : readSigningKey(sig);
    if (sig === null || keyid === null || !areWordsSigned(signature) || !namesFiles(signature.statement)) return null;
    return { statement: signature.statement, keyid, sig: sig.toString("base64") };
  };
}

/** Signatures that isdlc asked for before it bound them to files and page cannot be verified by others. */
function namesFiles(statement: string): boolean {
  try {
    const value: unknown = JSON.parse(statement);
    return ["start", "tree", "origin"].every((key) => ownValue(value, key) !== undefined);
  } catch {
    return false;
  }
}
