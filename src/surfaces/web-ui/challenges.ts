import { decisionChallenge } from "../../adapters/identity/decision-challenge.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import { newNonces, type Nonces, type Signable, toSignable, type SigningPlace } from "./signed-answer.ts";

/** Later signatures are rejected. */
const CHALLENGE_LIFETIME_MS = 5 * 60_000; // milliseconds
const MAX_OPEN = 1000;

export type Challenges = {
  /** Creates the challenge to sign for this decision. */
  create(place: SigningPlace, decision: AnswerRequest): string;
  /**
   * Returns the signed content of a challenge, once. Returns null if the challenge was created for another decision,
   * used before, or has expired.
   */
  take(challenge: string, place: SigningPlace, decision: AnswerRequest): Signable | null;
};

/** Creates a separate challenge for each decision: a signature is valid for that decision only, and once. */
export function createChallenges(now: () => number): Challenges {
  const open = new Map<string, Nonces & { readonly madeAt: number }>();
  return {
    create(place, decision) {
      const oldest = open.keys().next();
      if (open.size >= MAX_OPEN && oldest.done !== true) open.delete(oldest.value);
      const nonces = newNonces();
      const challenge = decisionChallenge(toSignable(place, decision, nonces).statement);
      open.set(challenge, { ...nonces, madeAt: now() });
      return challenge;
    },
    take(challenge, place, decision) {
      const made = open.get(challenge);
      open.delete(challenge);
      if (made === undefined || now() - made.madeAt > CHALLENGE_LIFETIME_MS) return null;
      const signable = toSignable(place, decision, made);
      return decisionChallenge(signable.statement) === challenge ? signable : null;
    },
  };
}
