import { randomBytes } from "node:crypto";
import { challengeFor } from "../../adapters/passkeys/verify-assertion.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { RunId } from "../../schema/ids.ts";

/** A signature that comes later is not wanted any more. */
const GOOD_FOR = 5 * 60_000; // milliseconds
const MOST_OPEN = 1000;
const NONCE_BYTES = 16;

export type Challenges = {
  /** What has to be signed for this decision. */
  create(run: RunId, decision: AnswerRequest): string;
  /** The statement behind a challenge, once; null where it was made for another decision, used before, or too old. */
  take(challenge: string, run: RunId, decision: AnswerRequest): string | null;
};

/** Each decision that is to be signed gets a challenge of its own: a signature is good for that one, and once. */
export function createChallenges(now: () => number): Challenges {
  const open = new Map<string, { readonly nonce: string; readonly madeAt: number }>();
  return {
    create(run, decision) {
      const oldest = open.keys().next();
      if (open.size >= MOST_OPEN && oldest.done !== true) open.delete(oldest.value);
      const nonce = randomBytes(NONCE_BYTES).toString("base64url");
      const challenge = challengeFor(statementOf(run, decision, nonce));
      open.set(challenge, { nonce, madeAt: now() });
      return challenge;
    },
    take(challenge, run, decision) {
      const made = open.get(challenge);
      open.delete(challenge);
      if (made === undefined || now() - made.madeAt > GOOD_FOR) return null;
      const statement = statementOf(run, decision, made.nonce);
      return challengeFor(statement) === challenge ? statement : null;
    },
  };
}

/** A decision in words that can be signed: the same decision has the same words. */
function statementOf(run: RunId, decision: AnswerRequest, nonce: string): string {
  const { wait, option, shown, text, comments, replies, phase = null, tree, isConfirmed } = decision;
  return JSON.stringify({ run, wait, option, shown, text, comments, replies, phase, tree, isConfirmed, nonce });
}
