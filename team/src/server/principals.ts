import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "pg";

/** Who asks: a person, or a worker. What each may do follows from its kind alone. */
export type Principal = { readonly id: string; readonly kind: "person" | "worker" };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;
const TOKEN_BYTES = 32;

export const isPrincipalName = (name: string): boolean => NAME.test(name);

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Makes a token, in place of an earlier one of the same name, and gives it this once: only its digest is kept. */
export async function createToken(pool: Pool, { id, kind }: Principal, days: number | null): Promise<string> {
  const token = `isdlc_${kind}_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  const { rowCount } = await pool.query(
    `insert into isdlc.principal (id, kind, token_sha256, expires_at)
       values ($1, $2, $3, now() + make_interval(days => $4))
     on conflict (id) do update set token_sha256 = $3, created_at = now(), revoked_at = null,
       expires_at = now() + make_interval(days => $4) where principal.kind = $2`,
    [id, kind, digestOf(token), days],
  );
  if (rowCount !== 1) throw new Error(`"${id}" is no ${kind} here.`);
  return token;
}

/** True where there was one to revoke. */
export async function revokeToken(pool: Pool, id: string): Promise<boolean> {
  const text = "update isdlc.principal set revoked_at = now() where id = $1 and revoked_at is null";
  return (await pool.query(text, [id])).rowCount === 1;
}

/** Whom a token belongs to; null where it is nobody's, expired or revoked. */
export async function principalOf(pool: Pool, token: string): Promise<Principal | null> {
  const { rows } = await pool.query<Principal>({
    name: "isdlc-principal",
    text: `select id, kind from isdlc.principal
      where token_sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    values: [digestOf(token)],
  });
  return rows[0] ?? null;
}
