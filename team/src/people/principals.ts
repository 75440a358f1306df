import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { sha256 } from "../../../src/adapters/file-system/node-crypto.ts";

export type Account = { readonly id: string; readonly kind: "person" | "worker" };

/**
 * Who asks. What a worker may do follows from its kind, what a person may do from the role in each repository.
 * `isPersonal`: with a token for scripts, which makes no further tokens.
 */
export type Principal = Account & { readonly isPersonal: boolean };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;
const TOKEN_BYTES = 32;
/** Of the token that the server's own verb makes; personal ones have names that people give. */
export const SIGN_IN = "sign-in";

export const isPrincipalName = (name: string): boolean => NAME.test(name);

export const digestSecret = (secret: string): string => sha256(secret);
export const newSecret = (what: string): string => `isdlc_${what}_${randomBytes(TOKEN_BYTES).toString("base64url")}`;

/** `days`: null where it is good until it is revoked. */
export type NewToken = { readonly name: string; readonly days: number | null };

/** Makes a token, in place of an earlier one of the same name, and gives it this once: only its digest is kept. */
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
  if (rowCount !== 1) throw new Error(`"${id}" is no ${kind} here.`);
  return token;
}

/** Revokes one token. True where there was one to revoke. */
export async function revokeToken(pool: Pool, owner: string, name: string): Promise<boolean> {
  const text = "update isdlc.token set revoked_at = now() where owner = $1 and name = $2 and revoked_at is null";
  return ((await pool.query(text, [owner, name])).rowCount ?? 0) > 0;
}

/** Of a token, in SQL. */
export const IS_GOOD = "revoked_at is null and (expires_at is null or expires_at > now())";

/** Whom the token with this digest belongs to; null where it is nobody's, expired or revoked. */
export async function findPrincipal(pool: Pool, digest: string): Promise<Principal | null> {
  const { rows } = await pool.query<Principal>({
    name: "isdlc-principal",
    text: `select p.id, p.kind, t.is_personal as "isPersonal" from isdlc.token t join isdlc.principal p on p.id = t.owner
      where t.digest = $1 and ${IS_GOOD}`,
    values: [digest],
  });
  return rows[0] ?? null;
}
