import { decisionChallenge } from "../../adapters/passkeys/decision-challenge.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import { newNonces, type Nonces, type Signable, toSignable, type SigningPlace } from "./signable.ts";

/** A signature that comes later is not wanted any more. */
const CHALLENGE_LIFETIME_MS = 5 * 60_000; // milliseconds
const MAX_OPEN = 1000;

export type Challenges = {
  /** What has to be signed for this decision. */
  create(place: SigningPlace, decision: AnswerRequest): string;
  /** What is behind a challenge, once; null where it was made for another decision, used before, or too old. */
  take(challenge: string, place: SigningPlace, decision: AnswerRequest): Signable | null;
};

/** Each decision that is to be signed gets a challenge of its own: a signature is good for that one, and once. */
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
