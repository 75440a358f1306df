import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Principal } from "../people/principals.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { SESSION_SECONDS, signedInWith } from "./page-sessions.ts";
import type { TeamPage } from "./team-page-parts.ts";

/** Returns the user signed in with this browser, or null. */
export function personAtPage(page: TeamPage, context: Context<TeamEnv>): Promise<Principal | null> {
  const secret = sessionIn(context, page);
  return secret === undefined ? Promise.resolve(null) : signedInWith(page.server.pool, secret);
}

export const sessionIn = (context: Context<TeamEnv>, page: TeamPage): string | undefined =>
  getCookie(context, cookieName(page));

/** The cookie is hidden from scripts, and not sent with requests from other sites. */
export const keepSession = (context: Context<TeamEnv>, page: TeamPage, secret: string): void =>
  setCookie(context, cookieName(page), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: isSecure(page),
    maxAge: SESSION_SECONDS,
  });

export const isSecure = ({ origins }: TeamPage): boolean => origins().every((origin) => origin.startsWith("https:"));

/** Browsers accept a cookie with this prefix only from the same host over TLS. */
const cookieName = (page: TeamPage): string => (isSecure(page) ? "__Host-isdlc" : "isdlc");

export const forgetSession = (context: Context<TeamEnv>, page: TeamPage): void =>
  void deleteCookie(context, cookieName(page), { path: "/", secure: isSecure(page) });
