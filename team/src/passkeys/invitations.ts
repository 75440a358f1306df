import type { ClientBase, Pool } from "pg";
import { digestSecret, newSecret } from "../people/principals.ts";

export type Invitation = { readonly person: string; readonly days: number };

/** Invites a person to make a passkey, in place of an earlier invitation. The secret is given this once. Null for a worker. */
export async function invite(pool: Pool, { person, days }: Invitation): Promise<string | null> {
  const secret = newSecret("invitation");
  const { rowCount } = await pool.query(
    `with account as (
       insert into isdlc.principal (id, kind) values ($1, 'person')
       on conflict (id) do update set kind = principal.kind where principal.kind = 'person' returning id)
     insert into isdlc.invitation (person, digest, expires_at)
       select id, $2, now() + make_interval(secs => $3 * 86400.0) from account
     on conflict (person) do update set digest = $2, expires_at = excluded.expires_at`,
    [person, digestSecret(secret), days],
  );
  return rowCount === 1 ? secret : null;
}

/** Whom an invitation is for; null where it is unknown, used or too old. */
export async function invitedBy(pool: Pool, secret: string): Promise<string | null> {
  const { rows } = await pool.query<{ person: string }>(
    "select person from isdlc.invitation where digest = $1 and expires_at > now()",
    [digestSecret(secret)],
  );
  return rows[0]?.person ?? null;
}

/** Uses an invitation up. True for one of two who do so at once. */
export async function useInvitation(client: ClientBase, secret: string): Promise<boolean> {
  const text = "delete from isdlc.invitation where digest = $1 and expires_at > now()";
  return (await client.query(text, [digestSecret(secret)])).rowCount === 1;
}
