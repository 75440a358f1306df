import type { ClientBase, Pool } from "pg";
import { digestSecret, newSecret } from "../people/principals.ts";

export type Invitation = { readonly person: string; readonly days: number };

/**
 * Invites a user to register a passkey; an earlier invitation becomes invalid. Returns the secret, which is never
 * shown again, or null for a worker.
 */
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

/** Returns the invited user, or null if the invitation is unknown, used or expired. */
export async function invitedBy(pool: Pool, secret: string): Promise<string | null> {
  const { rows } = await pool.query<{ person: string }>(
    "select person from isdlc.invitation where digest = $1 and expires_at > now()",
    [digestSecret(secret)],
  );
  return rows[0]?.person ?? null;
}

/** Uses up an invitation. Of two concurrent calls, only one returns true. */
export async function useInvitation(client: ClientBase, secret: string): Promise<boolean> {
  const text = "delete from isdlc.invitation where digest = $1 and expires_at > now()";
  return (await client.query(text, [digestSecret(secret)])).rowCount === 1;
}
