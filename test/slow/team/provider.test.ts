import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "../../support/cli.ts";
import { openAt } from "../browser/page-browser.ts";
import { cameBack, CLIENT, type LyingProvider, startLyingProvider } from "./support/lying-provider.ts";
import { createPageClient, namedOrigin } from "./support/page-client.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

const SECRET = "a-secret-of-the-client-0123456789";
const PROGRAM = join(import.meta.dirname, "programs/oidc-provider.mjs");

describe.runIf(hasPostgres)("sign-in with an OpenID provider", () => {
  let team: Team;
  let provider: LyingProvider;
  let origin: string;
  let said: () => string;

  beforeAll(async () => {
    team = await createTeam({ env: { ISDLC_OIDC_CLIENT_SECRET: SECRET } });
    await team.token("person", "bob");
    provider = await startLyingProvider();
    const server = await team.server("--oidc-issuer", provider.issuer, "--oidc-client", CLIENT);
    origin = namedOrigin(server.url);
    said = server.said;
  });
  beforeEach(async () => {
    provider.lie = {};
    await team.administer("identity", "bob", "Bob@example.org");
  });

  type Away = { readonly url: string; readonly cookie: string };

  /** Redirects a browser to the provider. */
  async function sentAway(): Promise<Away> {
    const headers = { "content-type": "application/json", origin };
    const response = await fetch(`${origin}/api/page/session/provider`, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(200);
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    const { url } = (await response.json()) as Json;
    return { url: url as string, cookie: cookie.split(";", 1)[0] ?? "" };
  }

  /** Target of the redirect after the callback, and the user that the server signed in. */
  async function back(address: URL, cookie: string): Promise<{ to: string | null; person: string | null }> {
    const response = await fetch(address, { headers: { cookie, "sec-fetch-site": "cross-site" }, redirect: "manual" });
    const session = response.headers.getSetCookie().find((one) => one.startsWith("isdlc=")) ?? "";
    const asked = await fetch(`${origin}/api/page/project`, { headers: { cookie: session.split(";", 1)[0] ?? "" } });
    const person = asked.status === 200 ? (((await asked.json()) as Json).person as string) : null;
    return { to: response.headers.get("location"), person };
  }

  async function signIn(lie: LyingProvider["lie"] = {}): Promise<{ to: string | null; person: string | null }> {
    provider.lie = lie;
    const { url, cookie } = await sentAway();
    return back(cameBack(provider, url), cookie);
  }

  const refused = { to: "/?sign-in=refused", person: null };
  const unknown = { to: "/?sign-in=unknown", person: null };

  test("signs in a user by verified email and later by subject", async () => {
    expect(await signIn()).toEqual({ to: "/", person: "bob" });
    expect(await signIn({ claims: { email: "bob@elsewhere.example" } })).toEqual({ to: "/", person: "bob" });
    expect(await signIn({ claims: { sub: "who got the address later" } })).toEqual(unknown);
    const { url } = await sentAway();
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toMatchObject({ response_type: "code", code_challenge_method: "S256", scope: "openid email" });
    expect(asked["redirect_uri"]).toBe(`${origin}/sign-in/callback`);
  });

  test("rejects an unverified, missing or unknown email and an unknown subject", async () => {
    for (const claims of [
      { email_verified: false },
      { email_verified: "true" },
      { email_verified: undefined },
      { email: undefined },
      { email: "eve@example.org" },
    ])
      expect(await signIn({ claims }), JSON.stringify(claims)).toEqual(unknown);
    await team.administer("identity", "bob", "--subject", "subject-of-bob");
    expect(await signIn({ claims: { email: undefined } })).toEqual({ to: "/", person: "bob" });
    expect(await signIn({ claims: { sub: "subject-of-eve" } })).toEqual(unknown);
  });

  test("rejects an ID token with a wrong issuer, audience, nonce, age or signature", async () => {
    const lies: readonly LyingProvider["lie"][] = [
      { claims: { iss: "https://evil.example" } },
      { claims: { aud: "another-client" } },
      { claims: { nonce: "another" } },
      { claims: { nonce: undefined } },
      { claims: { exp: 1_000_000_000 } },
      { isForged: true },
      { alg: "none" },
    ];
    for (const lie of lies) expect(await signIn(lie), JSON.stringify(lie)).toEqual(refused);
    expect(said()).not.toContain(SECRET);
  });

  test("rejects a callback with another state or without the browser's cookie", async () => {
    const [one, other] = [await sentAway(), await sentAway()];
    const wrongState = cameBack(provider, one.url);
    wrongState.searchParams.set("state", "another");
    expect(await back(wrongState, one.cookie)).toEqual(refused);
    expect(await back(cameBack(provider, one.url), "")).toEqual(refused);
    expect(await back(cameBack(provider, one.url), other.cookie)).toEqual(refused);
    expect(await back(cameBack(provider, one.url), "isdlc-flow=eyJzdGF0ZSI6MX0")).toEqual(refused);
    const denied = cameBack(provider, one.url);
    denied.searchParams.delete("code");
    denied.searchParams.set("error", "access_denied");
    expect(await back(denied, one.cookie)).toEqual(refused);
  });

  test("rejects another site and slows down repeated failures [S6]", async () => {
    const client = createPageClient(origin);
    expect(await client.post("/session/provider", {}, { origin: "https://evil.example" })).toMatchObject({
      status: 403,
    });
    expect(await client.post("/session/provider", {}, { "sec-fetch-site": "cross-site" })).toMatchObject({
      status: 403,
    });
    const seen = new Set<string | null>();
    for (let tries = 0; tries < 21; tries++) seen.add((await signIn({ isForged: true })).to);
    expect([...seen]).toEqual(["/?sign-in=refused", "/?sign-in=wait"]);
  });

  test("ends a session if the identity or the account is removed", async () => {
    const { url } = await team.server("--oidc-issuer", provider.issuer, "--oidc-client", CLIENT);
    origin = namedOrigin(url);
    expect(await signIn()).toMatchObject({ person: "bob" });
    const sessions = async (): Promise<number | null> =>
      (await team.database.pool.query("select 1 from isdlc.page_session where person = 'bob'")).rowCount;
    expect(await sessions()).toBeGreaterThan(0);
    await team.administer("identity", "bob", "none");
    expect(await sessions()).toBe(0);
    expect(await signIn()).toEqual(unknown);
  });

  test("reports an unavailable provider and rejects the sign-in", async () => {
    const { url } = await team.server("--oidc-issuer", "http://localhost:9", "--oidc-client", CLIENT);
    const client = createPageClient(url);
    expect(await client.get("/session/ways")).toMatchObject({ body: { provider: "localhost:9" } });
    expect(await client.post("/session/provider", {})).toMatchObject({
      status: 503,
      body: { problem: { code: "UNAVAILABLE" } },
    });
  });

  test("signs in through the browser with an independent provider", async () => {
    const free = await team.server("--port", "0");
    const port = Number(new URL(free.url).port);
    free.child.kill("SIGINT");
    await free.ended;
    const program = spawn(process.execPath, [PROGRAM, CLIENT, SECRET, `http://localhost:${port}/sign-in/callback`]);
    onTestFinished(() => void program.kill());
    const [issuer] = (await once(program.stdout, "data")) as [Buffer];
    const options = ["--port", String(port), "--oidc-issuer", issuer.toString().trim(), "--oidc-client", CLIENT];
    const { url } = await team.server(...options);
    const { page, context } = await openAt(namedOrigin(url));
    const signInAs = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: /^Sign in with localhost:/ }).click();
      await page.getByPlaceholder("Enter any login").fill(name);
      await page.getByPlaceholder("and password").fill("any");
      await page.getByRole("button", { name: "Sign-in" }).click();
      await page.getByRole("button", { name: "Continue" }).click();
    };
    await signInAs("unverified");
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("No user has that account");
    await context.clearCookies();
    await signInAs("bob");
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.getByTitle("Signed in as bob").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });
});
