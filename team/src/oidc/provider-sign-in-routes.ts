import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ApiProblem } from "../../../src/schema/api.ts";
import { isSecure, keepSession } from "../page/page-cookie.ts";
import { beginSession } from "../page/page-sessions.ts";
import type { Entrance } from "../page/sign-in-attempt.ts";
import { PAGE_API, type TeamPage } from "../page/team-page-parts.ts";
import { remoteAddress, type TeamEnv } from "../server/team-server.ts";
import { personOfIdentity } from "./identities.ts";
import { Flow, type Provider } from "./provider.ts";

/** Redirect target of the provider. It lies outside the API paths, as the request comes from another site. */
export const CALLBACK = "/sign-in/callback";
const FLOW_SECONDS = 10 * 60;

/** Reason shown on the sign-in page after a failed return from the provider. */
type SignInRefusal = "refused" | "unknown" | "wait";

/** Adds sign-in through the provider. Only the browser that started it can use the returned code. */
export function addProviderSignIn(app: Hono<TeamEnv>, entrance: Entrance, provider: Provider): void {
  const { page } = entrance;
  app.post(`${PAGE_API}/session/provider`, async (context) => {
    const begun = await provider.begin(`${context.req.header("origin") ?? ""}${CALLBACK}`).catch((error: unknown) => {
      page.server.log.warn({ why: errorMessage(error) }, "the sign-in provider cannot be reached");
      return null;
    });
    if (begun === null) return context.json({ problem: AWAY }, 503);
    const { url, flow } = begun;
    const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
    setCookie(context, flowCookie(page), value, { ...cookieAttributes(page), maxAge: FLOW_SECONDS });
    return context.json({ url });
  });
  app.get(CALLBACK, async (context) => {
    const flow = flowIn(page, context);
    deleteCookie(context, flowCookie(page), cookieAttributes(page));
    const refusal = await comeBack(entrance, provider, { context, flow });
    return context.redirect(refusal === null ? "/" : `/?sign-in=${refusal}`, 303);
  });
}

type Back = { readonly context: Context<TeamEnv>; readonly flow: Flow | null };

/** Returns null if the user is signed in now. */
async function comeBack(
  { page, refused }: Entrance,
  provider: Provider,
  { context, flow }: Back,
): Promise<SignInRefusal | null> {
  const { pool, log } = page.server;
  const address = remoteAddress(context);
  if (flow === null) return "refused";
  if (!refused.mayTry(address, "")) return "wait";
  try {
    const identity = await provider.finish(new URL(context.req.url).search, flow);
    const person = await personOfIdentity(pool, identity);
    const secret = person === null ? null : await beginSession(pool, { way: "identity", of: person });
    if (secret === null) return "unknown";
    keepSession(context, page, secret);
    return null;
  } catch (error) {
    refused.noteRefused(address);
    log.warn({ why: errorMessage(error) }, "rejected the response of the sign-in provider");
    return "refused";
  }
}

/** Reads the flow from this browser's cookie. Returns null if it has none, or if the flow started at another origin. */
function flowIn(page: TeamPage, context: Context<TeamEnv>): Flow | null {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(getCookie(context, flowCookie(page)) ?? "", "base64url").toString("utf8"),
    );
    const flow = Flow.parse(value);
    const isHere = page.origins().some((origin) => flow.redirect === `${origin}${CALLBACK}`);
    return isHere ? flow : null;
  } catch {
    return null; // not a flow of this server
  }
}

/** Logs only the message: errors of the library contain tokens. */
const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const AWAY: ApiProblem = {
  code: "UNAVAILABLE",
  what: "The provider that people sign in with cannot be reached.",
  fix: "Try it again, or sign in another way.",
};

const flowCookie = (page: TeamPage): string => (isSecure(page) ? "__Host-isdlc-flow" : "isdlc-flow");

/** `Lax`, because the browser returns from another site. */
const cookieAttributes = (page: TeamPage) =>
  ({ path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(page) }) as const;
