import type { Pool } from "pg";
import { challengeIn } from "../../../src/adapters/identity/decision-challenge.ts";

const CHALLENGE_LIFETIME_SECONDS = 5 * 60;

/** Purpose of a challenge. `person` is null if the signature identifies the user. */
export type ChallengeUse = { readonly purpose: "sign-in" | "register" | "decide"; readonly person: string | null };

/** Data stored with a challenge, but not sent to the browser. */
export type ChallengeDetail = Readonly<Record<string, string>>;

/** Stores a challenge in the database, to let any server verify its answer. */
export async function openChallenge(
  pool: Pool,
  { purpose, person }: ChallengeUse,
  { challenge, detail = {} }: { readonly challenge: string; readonly detail?: ChallengeDetail },
): Promise<void> {
  await pool.query("delete from isdlc.passkey_challenge where expires_at < now()");
  await pool.query(
    `insert into isdlc.passkey_challenge (challenge, purpose, person, detail, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [challenge, purpose, person, JSON.stringify(detail), CHALLENGE_LIFETIME_SECONDS],
  );
}

export type TakenChallenge = { readonly challenge: string; readonly detail: ChallengeDetail };

/**
 * Consumes a challenge signed by a browser. Returns null if it is unknown, used, expired, or has another purpose or
 * user.
 */
export async function takeChallenge(
  pool: Pool,
  { purpose, person }: ChallengeUse,
  clientData: string,
): Promise<TakenChallenge | null> {
  const { rows } = await pool.query<TakenChallenge>(
    `delete from isdlc.passkey_challenge where challenge = $1 and purpose = $2 and person is not distinct from $3
       and expires_at > now() returning challenge, detail`,
    [challengeIn(clientData), purpose, person],
  );
  return rows[0] ?? null;
}
