import type { Pool } from "pg";
import { digestSecret, newSecret, type Principal } from "../people/principals.ts";

/** Seconds that a browser stays signed in; what it was signed in with may end it before. */
export const SESSION_SECONDS = 12 * 60 * 60;
/** Seconds after signing in within which a passkey can be added: a browser left open must not become a key for good. */
const FRESH_SECONDS = 10 * 60;

const GOOD_TOKEN = "t.revoked_at is null and (t.expires_at is null or t.expires_at > now())";

/**
 * What a browser can be signed in with, and how a session of it begins: with the digest of a token, which is none of a
 * worker or a script, because what leaks from a script must not become a person at the page; with the id of a passkey;
 * as the person of an identity at the provider.
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

/** Signs a browser in: gives the secret of its session this once. Null where that is nobody's, or good no more. */
export async function beginSession(pool: Pool, { way, of }: SignedInBy): Promise<string | null> {
  await pool.query("delete from isdlc.page_session where expires_at < now()");
  const secret = newSecret("session");
  const { rowCount } = await pool.query(BEGIN[way], [digestSecret(secret), of, SESSION_SECONDS]);
  return rowCount === 1 ? secret : null;
}

/** Who is signed in with a session; null where nobody is, or what it was begun with is good no more. */
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

/** Was this browser signed in just now? */
export async function isFresh(pool: Pool, secret: string): Promise<boolean> {
  const text = "select 1 from isdlc.page_session where digest = $1 and begun_at > now() - make_interval(secs => $2)";
  return (await pool.query(text, [digestSecret(secret), FRESH_SECONDS])).rowCount === 1;
}

export async function endSession(pool: Pool, secret: string): Promise<void> {
  await pool.query("delete from isdlc.page_session where digest = $1", [digestSecret(secret)]);
}
