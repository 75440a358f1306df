import { decisionChallenge } from "../../../src/adapters/identity/decision-challenge.ts";
import { relyingPartyId } from "../../../src/adapters/identity/relying-party.ts";
import { verifyDecision } from "../../../src/adapters/identity/verify-assertion.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { AnswerRequest } from "../../../src/schema/api.ts";
import type { Challenge } from "../../../src/schema/api-passkey.ts";
import type { PasskeySignature } from "../../../src/schema/passkey.ts";
import type { TeamPage } from "../page/team-page-parts.ts";
import { openChallenge, takeChallenge } from "./passkey-challenges.ts";
import { needPasskeyOrigin } from "./passkey-origin.ts";
import { findPasskey, notePasskeyUse, listPasskeys } from "./team-passkeys.ts";
import type { SignedFacts } from "../../../src/core/attestation/signed-decision.ts";
import { newNonces, toSignable } from "../../../src/surfaces/web-ui/signed-answer.ts";

export type SigningRequest = { readonly facts: SignedFacts; readonly person: string; readonly decision: AnswerRequest };

/** Returns the challenge to sign for one decision. @throws ProblemError NOT_ALLOWED if the user has no passkey */
export async function decisionChallengeFor(
  page: TeamPage,
  { facts, person, decision }: SigningRequest,
): Promise<Challenge> {
  const { pool } = page.server;
  const origin = needPasskeyOrigin(page);
  const relyingParty = relyingPartyId(origin);
  const passkeys = (await listPasskeys(pool, person)).map(({ id }) => id);
  if (passkeys.length === 0)
    throw new ProblemError({
      code: "NOT_ALLOWED",
      what: "This has to be signed with a passkey, and you have none here.",
      fix: "Add one under Your passkeys, then decide again.",
    });
  const detail = newNonces();
  const challenge = decisionChallenge(toSignable({ ...facts, origin }, decision, detail).statement);
  await openChallenge(pool, { purpose: "decide", person }, { challenge, detail });
  return { challenge, relyingParty, passkeys };
}

/**
 * Verifies the signature of a decision against the user's key stored here. Returns undefined if the decision is
 * unsigned. @throws ProblemError PASSKEY_REFUSED if the signature is wrong
 */
export async function verifySignature(
  page: TeamPage,
  { facts, person, decision }: SigningRequest,
): Promise<PasskeySignature | undefined> {
  const { assertion } = decision;
  if (assertion === undefined) return undefined;
  const { pool } = page.server;
  const taken = await takeChallenge(pool, { purpose: "decide", person }, assertion.clientData);
  const { nonce = "", salt = "" } = taken?.detail ?? {};
  const signable = toSignable({ ...facts, origin: needPasskeyOrigin(page) }, decision, { nonce, salt });
  if (taken === null || decisionChallenge(signable.statement) !== taken.challenge)
    throw refused("it belongs to another decision, was used before, or came too late");
  const found = await findPasskey(pool, assertion.id);
  if (found?.person !== person) throw refused("this passkey is not one of yours");
  const { id: passkey, clientData, authenticatorData, signature: bytes } = assertion;
  const key = { id: passkey, publicKey: found.publicKey, relyingParty: found.relyingParty };
  const signature = { passkey, ...signable, clientData, authenticatorData, bytes, key };
  const expected = { key, origin: needPasskeyOrigin(page), counter: found.counter };
  const verified = await verifyDecision(signature, expected);
  if (!verified.ok) throw refused(verified.detail);
  await notePasskeyUse(pool, passkey, verified.counter);
  return signature;
}

const refused = (detail: string): ProblemError => new ProblemError({ code: "PASSKEY_REFUSED", detail });
