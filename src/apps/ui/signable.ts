import { randomBytes } from "node:crypto";
import { wordsDigest } from "../../adapters/passkeys/decision-challenge.ts";
import type { SignedFacts } from "../../core/signed-facts.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";

const NONCE_BYTES = 16;

/** Text to sign, and the user's words whose digest it contains. */
export type Signable = Pick<PasskeySignature, "statement" | "words">;
/** `origin`: of the page on which the user signs. */
export type SigningPlace = SignedFacts & { readonly origin: string };
export type Nonces = { readonly nonce: string; readonly salt: string };

/**
 * Serializes a decision to sign: equal decisions give equal text. The salt prevents guessing words from their digest.
 */
export function toSignable(place: SigningPlace, decision: AnswerRequest, { nonce, salt }: Nonces): Signable {
  const { run, start, tree, origin } = place;
  const { wait, option, shown, text, comments, replies, phase = null, tree: files, isConfirmed } = decision;
  const words = JSON.stringify({ text, comments, replies, salt });
  const digest = wordsDigest(words);
  const about = { run, start, wait, option, shown, tree, words: digest, phase, files, isConfirmed, origin, nonce };
  return { statement: JSON.stringify(about), words };
}

export const newNonces = (): Nonces => ({ nonce: newNonce(), salt: newNonce() });
const newNonce = (): string => randomBytes(NONCE_BYTES).toString("base64url");
