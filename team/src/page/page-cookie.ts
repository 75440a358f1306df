import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Principal } from "../people/principals.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { SESSION_SECONDS, signedInWith } from "./page-sessions.ts";
import type { TeamPage } from "./team-page-parts.ts";

/** Who is signed in with the browser that asks; null where nobody is. */
export function personAtPage(page: TeamPage, context: Context<TeamEnv>): Promise<Principal | null> {
  const secret = sessionIn(context, page);
  return secret === undefined ? Promise.resolve(null) : signedInWith(page.server.pool, secret);
}

export const sessionIn = (context: Context<TeamEnv>, page: TeamPage): string | undefined =>
  getCookie(context, cookieName(page));

/** No script reads it, and no other site makes a browser send it. */
export const keepSession = (context: Context<TeamEnv>, page: TeamPage, secret: string): void =>
  setCookie(context, cookieName(page), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: isSecure(page),
    maxAge: SESSION_SECONDS,
  });

export const isSecure = ({ origins }: TeamPage): boolean => origins().every((origin) => origin.startsWith("https:"));

/** With this beginning, browsers take it from this very host and over TLS only. */
const cookieName = (page: TeamPage): string => (isSecure(page) ? "__Host-isdlc" : "isdlc");

export const forgetSession = (context: Context<TeamEnv>, page: TeamPage): void =>
  void deleteCookie(context, cookieName(page), { path: "/", secure: isSecure(page) });
