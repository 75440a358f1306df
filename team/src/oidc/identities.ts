import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { noteAccountChange } from "../people/accounts.ts";

/** A user's identity at the provider. */
export type ProviderIdentity = { readonly email: string } | { readonly subject: string };

export type IdentityLink = { readonly person: string; readonly known: ProviderIdentity | null };

/**
 * Links a user to an identity at the provider, or removes the link. Ends the sessions started with the previous
 * identity. @throws ProblemError USAGE if the user is unknown or the identity belongs to another user
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
    detail: `No user is called "${person}", or the address belongs to another user.`,
    usage: "isdlc server identity <name> <e-mail>",
  });

/** Identity asserted by the provider. `email` is null if it is not verified. */
export type Identity = { readonly issuer: string; readonly subject: string; readonly email: string | null };

/**
 * Returns the account of an identity, or null. An e-mail address identifies a user only at the first sign-in. After
 * it, only the subject does, because addresses can be reassigned.
 */
export async function personOfIdentity(pool: Pool, { issuer, subject, email }: Identity): Promise<string | null> {
  const bySubject = `update isdlc.identity set issuer = $1 where subject = $2 and (issuer is null or issuer = $1) returning person`;
  const known = await pool.query<{ person: string }>(bySubject, [issuer, subject]);
  if (known.rows[0] !== undefined || email === null) return known.rows[0]?.person ?? null;
  const byEmail = `update isdlc.identity set issuer = $1, subject = $2 where subject is null and lower(email) = lower($3) returning person`;
  return (await pool.query<{ person: string }>(byEmail, [issuer, subject, email])).rows[0]?.person ?? null;
}
