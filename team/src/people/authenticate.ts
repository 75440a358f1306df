import type { Context, Hono, Next } from "hono";
import { addressOf, type TeamEnv, type TeamServer } from "../server/team-server.ts";
import { digestOf, type Principal, principalOf } from "./principals.ts";
import { createRefusedTokens, FORGOTTEN_AFTER, forgetOldest } from "./refused-tokens.ts";

export type Told = { readonly code: string; readonly what: string; readonly fix: string };

export const TOKEN_REFUSED: Told = {
  code: "TOKEN_REFUSED",
  what: "This token is not known here, has expired or was revoked.",
  fix: "Ask whoever runs the server for a new one, then run: isdlc login <url>",
};
const TOO_MANY: Told = {
  code: "TOO_MANY_REQUESTS",
  what: "Too many tokens from this address were refused.",
  fix: `Wait ${FORGOTTEN_AFTER} seconds, then try the right one.`,
};

const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/;
const REPORT = /^\/api\/worker\/runs\/[^/]+\/commands$/;

/**
 * Every request carries a token. Whose it is, is asked of the database, with one exception: a report is decided on with
 * what is remembered of its token, and the statement that records it looks at the token as it is then. Whatever else
 * comes of a report is answered only after the token was looked up.
 */
export function addAuthentication(app: Hono<TeamEnv>, { pool }: Pick<TeamServer, "pool">): void {
  const refused = createRefusedTokens();
  const remembered = new Map<string, Principal>();
  const unknown = (context: Context<TeamEnv>, digest: string): Response => {
    remembered.delete(digest);
    refused.noteRefused(addressOf(context));
    return context.json({ problem: TOKEN_REFUSED }, 401);
  };
  const recordedFirst = async (context: Context<TeamEnv>, next: Next, digest: string): Promise<void> => {
    context.set("unproven", digest);
    await next();
    if (context.get("unproven") === null || (await principalOf(pool, digest)) !== null) return;
    context.res = undefined; // or the headers of what is not to be told would stay
    context.res = unknown(context, digest);
  };
  app.use("/api/*", async (context, next) => {
    const token = BEARER.exec(context.req.header("authorization") ?? "")?.[1] ?? null;
    if (token === null) return context.json({ problem: TOKEN_REFUSED }, 401);
    if (!refused.mayTry(addressOf(context), token)) {
      context.header("Retry-After", String(FORGOTTEN_AFTER));
      return context.json({ problem: TOO_MANY }, 429);
    }
    const digest = digestOf(token);
    const known = REPORT.test(context.req.path) ? remembered.get(digest) : undefined;
    const principal = known ?? (await principalOf(pool, digest));
    if (principal === null) return unknown(context, digest);
    context.set("principal", principal);
    context.set("unproven", null);
    if (known !== undefined) return recordedFirst(context, next, digest);
    refused.noteGood(token);
    remembered.set(digest, principal);
    forgetOldest(remembered);
    return next();
  });
}
