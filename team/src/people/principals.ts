import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";

export type Account = { readonly id: string; readonly kind: "person" | "worker" };

/**
 * Authenticated caller. Rights of a worker follow from its kind and scope, those of a user from the role in each
 * repository. `isPersonal`: uses a script token, which cannot create tokens.
 */
export type Principal = Account & { readonly isPersonal: boolean };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;
const TOKEN_BYTES = 32;
/** Name of tokens created by the server's own command. Users choose the names of personal tokens. */
export const SIGN_IN = "sign-in";

export const isPrincipalName = (name: string): boolean => NAME.test(name);

export const digestSecret = (secret: string): string => sha256(secret);
export const newSecret = (what: string): string => `isdlc_${what}_${randomBytes(TOKEN_BYTES).toString("base64url")}`;

/** `days`: null if the token is valid until revoked. */
export type NewToken = { readonly name: string; readonly days: number | null };

/**
 * Creates a token; an earlier one of the same name becomes invalid. The token is never shown again: only its digest is
 * stored.
 */
export async function createToken(pool: Pool, { id, kind }: Account, { name, days }: NewToken): Promise<string> {
  const token = newSecret(kind);
  const { rowCount } = await pool.query(
    `with account as (
       insert into isdlc.principal (id, kind) values ($1, $2)
       on conflict (id) do update set kind = principal.kind where principal.kind = $2 returning id)
     insert into isdlc.token (digest, owner, name, is_personal, expires_at)
       select $3, id, $4, $4 <> '${SIGN_IN}', now() + make_interval(secs => $5 * 86400.0) from account
     on conflict (owner, name) do update set digest = $3, created_at = now(), revoked_at = null,
       expires_at = now() + make_interval(secs => $5 * 86400.0)`,
    [id, kind, digestSecret(token), name, days],
  );
  if (rowCount !== 1) throw new Error(`"${id}" is not a ${kind} here.`);
  return token;
}

/** Revokes a token. Returns true if there was one to revoke. */
export async function revokeToken(pool: Pool, owner: string, name: string): Promise<boolean> {
  const text = "update isdlc.token set revoked_at = now() where owner = $1 and name = $2 and revoked_at is null";
  return ((await pool.query(text, [owner, name])).rowCount ?? 0) > 0;
}

/** SQL condition for a valid token. */
export const IS_GOOD = "revoked_at is null and (expires_at is null or expires_at > now())";

/** Returns the owner of a token by its digest, or null if it is unknown, expired or revoked. */
export async function findPrincipal(pool: Pool, digest: string): Promise<Principal | null> {
  const { rows } = await pool.query<Principal>({
    name: "isdlc-principal",
    text: `select p.id, p.kind, t.is_personal as "isPersonal" from isdlc.token t join isdlc.principal p on p.id = t.owner
      where t.digest = $1 and ${IS_GOOD}`,
    values: [digest],
  });
  return rows[0] ?? null;
}
