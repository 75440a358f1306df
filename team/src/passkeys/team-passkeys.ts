import type { ClientBase, Pool } from "pg";
import { noteAccountChange } from "../people/accounts.ts";
import type { Passkey } from "../../../src/ports/callers.ts";

export type TeamPasskey = Passkey & { readonly person: string; readonly relyingParty: string };

const COLUMNS = `id, person, public_key as "publicKey", relying_party as "relyingParty", name, counter::float8 as counter,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "createdAt"`;

export async function listPasskeys(pool: Pool, person: string): Promise<readonly TeamPasskey[]> {
  const text = `select ${COLUMNS} from isdlc.passkey where person = $1 order by created_at`;
  return (await pool.query<TeamPasskey>(text, [person])).rows;
}

export async function findPasskey(pool: Pool, id: string): Promise<TeamPasskey | null> {
  const { rows } = await pool.query<TeamPasskey>(`select ${COLUMNS} from isdlc.passkey where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Returns false if the passkey is already registered: it belongs to one user only. */
export async function keepPasskey(client: ClientBase, passkey: TeamPasskey): Promise<boolean> {
  const { id, person, publicKey, relyingParty, name, counter } = passkey;
  const { rowCount } = await client.query(
    `insert into isdlc.passkey (id, person, public_key, relying_party, name, counter)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [id, person, publicKey, relyingParty, name, counter],
  );
  if (rowCount !== 1) return false;
  await noteAccountChange(client, person, { what: "passkey added", person, passkey: id, name });
  return true;
}

/** Raises the signature counter. If two signatures overlap, the higher count remains. */
export async function notePasskeyUse(pool: Pool, id: string, counter: number): Promise<void> {
  await pool.query("update isdlc.passkey set counter = greatest(counter, $2) where id = $1", [id, counter]);
}

/** Removes a user's passkey and ends the sessions started with it. Returns true if it existed. */
export async function removePasskey(client: ClientBase, person: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query("delete from isdlc.passkey where person = $1 and id = $2", [person, id]);
  if (rowCount !== 1) return false;
  await noteAccountChange(client, person, { what: "passkey removed", person, passkey: id });
  return true;
}
