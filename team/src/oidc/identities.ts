import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { noteAccountChange } from "../people/accounts.ts";

/** How somebody is known at the provider. */
export type ProviderIdentity = { readonly email: string } | { readonly subject: string };

export type IdentityLink = { readonly person: string; readonly known: ProviderIdentity | null };

/**
 * Says who a person is at the provider, or that they are nobody there; whoever is signed in by it is signed out.
 * @throws ProblemError USAGE where there is no such person, or somebody else is known by that.
 */
export async function linkIdentity(pool: Pool, by: string, { person, known }: IdentityLink): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("delete from isdlc.identity where person = $1", [person]);
    if (known !== null) {
      const { rowCount } = await client.query(
        `insert into isdlc.identity (person, email, subject)
         select id, $2, $3 from isdlc.principal where id = $1 and kind = 'person' on conflict do nothing`,
        [person, "email" in known ? known.email : null, "subject" in known ? known.subject : null],
      );
      if (rowCount !== 1) throw taken(person);
    }
    await noteAccountChange(client, by, { what: "identity", person, known });
  });
}

const taken = (person: string): ProblemError =>
  new ProblemError({
    code: "USAGE",
    detail: `There is nobody called "${person}" here, or somebody else is known by that.`,
    usage: "isdlc server identity <name> <e-mail>",
  });

/** What the provider vouches for; `email` is null where it has not verified one. */
export type Identity = { readonly issuer: string; readonly subject: string; readonly email: string | null };

/**
 * The account of somebody the provider vouches for; null where there is none. An e-mail address counts once: from then
 * on the subject does, because addresses are given to others.
 */
export async function personOfIdentity(pool: Pool, { issuer, subject, email }: Identity): Promise<string | null> {
  const bySubject = `update isdlc.identity set issuer = $1 where subject = $2 and (issuer is null or issuer = $1) returning person`;
  const known = await pool.query<{ person: string }>(bySubject, [issuer, subject]);
  if (known.rows[0] !== undefined || email === null) return known.rows[0]?.person ?? null;
  const byEmail = `update isdlc.identity set issuer = $1, subject = $2 where subject is null and lower(email) = lower($3) returning person`;
  return (await pool.query<{ person: string }>(byEmail, [issuer, subject, email])).rows[0]?.person ?? null;
}
