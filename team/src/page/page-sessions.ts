import type { Pool } from "pg";
import { digestSecret, newSecret, type Principal } from "../people/principals.ts";

/** Lifetime of a browser session in seconds. It ends earlier with its token, passkey or identity. */
export const SESSION_SECONDS = 12 * 60 * 60;
/** Seconds after sign-in during which passkeys can be added: a browser left open must not gain permanent access. */
const FRESH_SECONDS = 10 * 60;

const GOOD_TOKEN = "t.revoked_at is null and (t.expires_at is null or t.expires_at > now())";

/**
 * Starts a session by sign-in method: the digest of a token, the id of a passkey, or the person of an identity at the
 * provider. Tokens of workers and scripts are excluded: a leaked script token must not sign in a user.
 */
const BEGIN = {
  token: `insert into isdlc.page_session (digest, person, token, expires_at)
    select $1, t.owner, t.digest, least(now() + make_interval(secs => $3), t.expires_at)
    from isdlc.token t join isdlc.principal p on p.id = t.owner
    where t.digest = $2 and ${GOOD_TOKEN} and p.kind = 'person' and not t.is_personal`,
  passkey: `insert into isdlc.page_session (digest, person, passkey, expires_at)
    select $1, person, id, now() + make_interval(secs => $3) from isdlc.passkey where id = $2`,
  identity: `insert into isdlc.page_session (digest, person, identity, expires_at)
    select $1, person, person, now() + make_interval(secs => $3) from isdlc.identity where person = $2`,
} as const;

export type SignedInBy = { readonly way: keyof typeof BEGIN; readonly of: string };

/**
 * Starts a session and returns its secret, which is never shown again. Returns null if the token, passkey or identity
 * is unknown or no longer valid.
 */
export async function beginSession(pool: Pool, { way, of }: SignedInBy): Promise<string | null> {
  await pool.query("delete from isdlc.page_session where expires_at < now()");
  const secret = newSecret("session");
  const { rowCount } = await pool.query(BEGIN[way], [digestSecret(secret), of, SESSION_SECONDS]);
  return rowCount === 1 ? secret : null;
}

/** Returns the user of a session, or null if the session is unknown, or it or its token is no longer valid. */
export async function signedInWith(pool: Pool, secret: string): Promise<Principal | null> {
  const { rows } = await pool.query<{ person: string }>({
    name: "isdlc-page-session",
    text: `select s.person from isdlc.page_session s left join isdlc.token t on t.digest = s.token
      where s.digest = $1 and s.expires_at > now() and (s.token is null or (t.digest is not null and ${GOOD_TOKEN}))`,
    values: [digestSecret(secret)],
  });
  const [found] = rows;
  return found === undefined ? null : { id: found.person, kind: "person", isPersonal: false };
}

/** Returns true if this browser signed in recently. */
export async function isFresh(pool: Pool, secret: string): Promise<boolean> {
  const text = "select 1 from isdlc.page_session where digest = $1 and begun_at > now() - make_interval(secs => $2)";
  return (await pool.query(text, [digestSecret(secret), FRESH_SECONDS])).rowCount === 1;
}

export async function endSession(pool: Pool, secret: string): Promise<void> {
  await pool.query("delete from isdlc.page_session where digest = $1", [digestSecret(secret)]);
}
