import { THIS_MACHINE } from "../../adapters/identity/relying-party.ts";
import { verifyDecision } from "../../adapters/identity/verify-assertion.ts";
import { ProblemError } from "../../core/problem.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { Challenge } from "../../schema/api-passkey.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { FoundRun } from "./repository.ts";
import type { ServerContext } from "./served.ts";
import { signedFacts, type SignedFacts } from "../../core/attestation/signed-decision.ts";
import { challengeIn, wordsDigest } from "../../adapters/identity/decision-challenge.ts";
import { randomBytes } from "node:crypto";

type SigningContext = Pick<ServerContext, "challenges" | "origin">;

/** Creates the challenge that the browser signs for a decision. */
export function createChallenge(
  { challenges, origin }: SigningContext,
  found: FoundRun,
  decision: AnswerRequest,
): Challenge {
  const { run, project } = found;
  return {
    challenge: challenges.create({ ...signedFacts(run.run.run, run), origin: origin() }, decision),
    relyingParty: THIS_MACHINE,
    passkeys: project.passkeys.list().map(({ id }) => id),
  };
}

/**
 * Verifies the signature of a decision. Returns undefined for an unsigned decision if the run requires no signature.
 * @throws ProblemError PASSKEY_NEEDED if a required signature is missing, PASSKEY_REFUSED for an invalid one.
 */
export async function verifySignature(
  { challenges, origin }: SigningContext,
  { run, project }: FoundRun,
  decision: AnswerRequest,
): Promise<PasskeySignature | undefined> {
  const { assertion } = decision;
  if (assertion === undefined) {
    if ((run.run.passkeys ?? []).length > 0) throw new ProblemError({ code: "PASSKEY_NEEDED", verb: decision.option });
    return undefined;
  }
  const place = { ...signedFacts(run.run.run, run), origin: origin() };
  const signable = challenges.take(challengeIn(assertion.clientData), place, decision);
  if (signable === null) throw refused("it belongs to another decision, was used before, or came too late");
  const key = project.passkeys.list().find(({ id }) => id === assertion.id);
  if (key === undefined) throw refused("this passkey is not registered");
  const { id: passkey, clientData, authenticatorData, signature: bytes } = assertion;
  const signature = { passkey, ...signable, clientData, authenticatorData, bytes };
  const verified = await verifyDecision(signature, { key, origin: origin(), counter: key.counter });
  if (!verified.ok) throw refused(verified.detail);
  project.passkeys.keep({ ...key, counter: verified.counter });
  return signature;
}

const refused = (detail: string): ProblemError => new ProblemError({ code: "PASSKEY_REFUSED", detail });

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
