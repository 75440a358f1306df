import type { Pool } from "pg";
import { challengeIn } from "../../../src/adapters/passkeys/challenge-in.ts";

const CHALLENGE_LIFETIME_SECONDS = 5 * 60; // seconds

/** What a challenge is for; `person` is null where that is what the signature tells. */
export type ChallengeUse = { readonly purpose: "sign-in" | "register" | "decide"; readonly person: string | null };

/** What belongs to a challenge and is not sent along. */
export type ChallengeDetail = Readonly<Record<string, string>>;

/** In the database, so that any server takes back what another has handed out. */
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

/** The challenge that a browser had signed, once; null where it is not known, for something else, used before, or too old. */
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
