import type { Hono } from "hono";
import type { Pool } from "pg";
import { remoteAddress, type TeamEnv } from "../server/team-server.ts";
import { digestSecret, type Principal, findPrincipal } from "./principals.ts";
import { createRefusedTokens, FORGOTTEN_AFTER, forgetOldest } from "./refused-tokens.ts";

export type ProblemText = { readonly code: string; readonly what: string; readonly fix: string };

export const TOKEN_REFUSED: ProblemText = {
  code: "TOKEN_REFUSED",
  what: "This token is not known here, has expired or was revoked.",
  fix: "Ask the operator of the server for a new one, then run: isdlc login <url>",
};
const TOO_MANY: ProblemText = {
  code: "TOO_MANY_REQUESTS",
  what: "Too many tokens from this address were refused.",
  fix: `Wait ${FORGOTTEN_AFTER} seconds, then try the right one.`,
};

const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/;

/** Address of the connection and header of a request. */
export type RequestCredentials = { readonly address: string; readonly authorization: string | undefined };

export type IdentifiedCaller = {
  readonly is: "known";
  readonly principal: Principal;
  /** Digest of a remembered token that was not looked up; null if it was. */
  readonly unproven: string | null;
};

export type UnidentifiedCaller = {
  readonly is: "refused";
  readonly status: 401 | 429;
  readonly problem: ProblemText;
  readonly headers: Readonly<Record<string, string>>;
};

/** Authentication by token. The database knows their owners. */
export type Authentication = {
  /** Looks up the token in the database. */
  identify(asking: RequestCredentials): Promise<IdentifiedCaller | UnidentifiedCaller>;
  /**
   * Accepts a remembered token without a lookup. Enough for decisions that the database records only with a valid
   * token. All other results must wait for `prove`.
   */
  recall(asking: RequestCredentials): Promise<IdentifiedCaller | UnidentifiedCaller>;
  /** Looks up a remembered token. Returns null if it is still valid. */
  prove(asking: RequestCredentials, unproven: string): Promise<UnidentifiedCaller | null>;
};

export function createAuthentication(pool: Pool): Authentication {
  const refused = createRefusedTokens();
  const remembered = new Map<string, Principal>();
  const unknown = ({ address }: RequestCredentials, digest: string): UnidentifiedCaller => {
    remembered.delete(digest);
    refused.noteRefused(address);
    return NOBODY;
  };
  const identified = async (
    asking: RequestCredentials,
    isRecalled: boolean,
  ): Promise<IdentifiedCaller | UnidentifiedCaller> => {
    const token = BEARER.exec(asking.authorization ?? "")?.[1] ?? null;
    if (token === null) return NOBODY;
    if (!refused.mayTry(asking.address, token)) return TRIED_TOO_OFTEN;
    const digest = digestSecret(token);
    const known = isRecalled ? remembered.get(digest) : undefined;
    if (known !== undefined) return { is: "known", principal: known, unproven: digest };
    const principal = await findPrincipal(pool, digest);
    if (principal === null) return unknown(asking, digest);
    refused.noteGood(token);
    remembered.set(digest, principal);
    forgetOldest(remembered);
    return { is: "known", principal, unproven: null };
  };
  return {
    identify: (asking) => identified(asking, false),
    recall: (asking) => identified(asking, true),
    prove: async (asking, unproven) =>
      (await findPrincipal(pool, unproven)) === null ? unknown(asking, unproven) : null,
  };
}

const NOBODY: UnidentifiedCaller = { is: "refused", status: 401, problem: TOKEN_REFUSED, headers: {} };
const TRIED_TOO_OFTEN: UnidentifiedCaller = {
  is: "refused",
  status: 429,
  problem: TOO_MANY,
  headers: { "Retry-After": String(FORGOTTEN_AFTER) },
};

/** Authenticates requests. Add it before all routes for known users and workers. */
export function addAuthentication(app: Hono<TeamEnv>, authentication: Authentication): void {
  app.use("/api/*", async (context, next) => {
    const authorization = context.req.header("authorization");
    const judged = await authentication.identify({ address: remoteAddress(context), authorization });
    if (judged.is === "refused") return context.json({ problem: judged.problem }, judged.status, judged.headers);
    context.set("principal", judged.principal);
    return next();
  });
}
