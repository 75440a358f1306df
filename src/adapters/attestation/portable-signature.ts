import type { Portable } from "../../core/attestation/evidence.ts";
import { ownValue } from "../../core/own-value.ts";
import type { PasskeyKey } from "../../schema/passkey.ts";
import { areWordsSigned, DECISION_NAMESPACE } from "../identity/decision-challenge.ts";
import { toSshSignature } from "../identity/ssh-form.ts";
import { readSigningKey } from "./ssh-signature.ts";

/**
 * Returns a function that makes signatures of decisions portable, if they were made with one of these keys or with a
 * key stored next to them. It returns null for others.
 */
export function portableWith(keys: readonly PasskeyKey[]): Portable {
  return (signature) => {
    const key = keys.find(({ id }) => id === signature.passkey) ?? signature.key;
    const sig = key === undefined ? null : toSshSignature(signature, { key, namespace: DECISION_NAMESPACE });
    const keyid = sig === null ? null : readSigningKey(sig);
    if (sig === null || keyid === null || !areWordsSigned(signature) || !namesFiles(signature.statement)) return null;
    return { statement: signature.statement, keyid, sig: sig.toString("base64") };
  };
}

/**
 * True if a decision names its files and page. Older signatures were not bound to them, and others cannot verify
 * those.
 */
function namesFiles(statement: string): boolean {
  try {
    const value: unknown = JSON.parse(statement);
    return ["start", "tree", "origin"].every((key) => ownValue(value, key) !== undefined);
  } catch {
    return false;
  }
}
