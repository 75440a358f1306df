import { randomBytes } from "node:crypto";
import { wordsDigest } from "../../adapters/passkeys/decision-challenge.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { RunId } from "../../schema/ids.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";

const NONCE_BYTES = 16;

/** What is signed, and the words that it has the digest of. */
export type Signable = Pick<PasskeySignature, "statement" | "words">;
export type Nonces = { readonly nonce: string; readonly salt: string };

/** A decision as it can be signed: the same decision is the same text. Salted, words cannot be guessed by their digest. */
export function signableOf(run: RunId, decision: AnswerRequest, { nonce, salt }: Nonces): Signable {
  const { wait, option, shown, text, comments, replies, phase = null, tree, isConfirmed } = decision;
  const words = JSON.stringify({ text, comments, replies, salt });
  const digest = wordsDigest(words);
  const statement = JSON.stringify({ run, wait, option, shown, words: digest, phase, tree, isConfirmed, nonce });
  return { statement, words };
}

export const newNonces = (): Nonces => ({ nonce: newNonce(), salt: newNonce() });
const newNonce = (): string => randomBytes(NONCE_BYTES).toString("base64url");
