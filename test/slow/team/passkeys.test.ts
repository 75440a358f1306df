import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { invite } from "../../../team/src/passkeys/invitations.ts";
import { type Authenticator, createAuthenticator, type How } from "../../support/authenticator.ts";
import { type PageAnswer, createPageClient, namedOrigin, type PageClient } from "./support/page-client.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

describe.runIf(hasPostgres)("passkeys of users at a team's server", () => {
  let team: Team;

  beforeAll(async () => {
    team = await createTeam();
  });

  const browser = (): PageClient => createPageClient(team.url);
  const authenticator = (): Authenticator =>
    createAuthenticator(namedOrigin(team.url), randomBytes(16).toString("base64url"));

  async function invited(person: string): Promise<string> {
    const secret = await invite(team.database.pool, { person, days: 3 });
    if (secret === null) throw new Error("not invited");
    return secret;
  }

  async function accept(
    client: PageClient,
    invitation: unknown,
    key: Pick<Authenticator, "make">,
  ): Promise<PageAnswer> {
    const { status, body, headers } = await client.post("/session/invitation/options", { invitation });
    if (status !== 200) return { status, body, headers };
    return client.post("/session/invitation", { invitation, passkey: key.make(body.challenge as string) });
  }

  const makingWrongly = (how: How): Pick<Authenticator, "make"> => ({
    make: (challenge) => authenticator().make(challenge, how),
  });

  /** A new user with a passkey, and the browser in which they are signed in. */
  async function withPasskey(person: string): Promise<{ client: PageClient; key: Authenticator }> {
    const [client, key] = [browser(), authenticator()];
    expect(await accept(client, await invited(person), key)).toMatchObject({ status: 200 });
    return { client, key };
  }

  test("sign in a user who added one after a token sign-in", async () => {
    const [client, key] = [browser(), authenticator()];
    expect(await client.signIn(await team.token("person", "bob"))).toMatchObject({ status: 200 });
    expect(await client.addPasskey(key)).toMatchObject({ status: 200, body: { name: "test" } });
    const { body } = await client.get("/passkeys");
    expect(body).toMatchObject({ passkeys: [{ id: key.passkey.id, name: "test" }] });
    await client.post("/session/end", {});
    expect(await client.get("/project")).toMatchObject({ status: 401 });
    const shown = await client.showPasskey(key);
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    expect(await client.get("/project")).toMatchObject({ status: 200, body: { person: "bob" } });
    const { rows } = await team.database.pool.query("select change from isdlc.account_change where changed_by = 'bob'");
    expect(rows).toMatchObject([{ change: { what: "passkey added", passkey: key.passkey.id } }]);
  });

  test("are registered once per invitation, for one user", async () => {
    const { invitation, link } = await team.administer("invite", "carol", "--origin", "https://isdlc.example.org");
    expect(link).toBe(`https://isdlc.example.org/invitation#${invitation}`);
    const tries = [browser(), browser()];
    const done = await Promise.all(tries.map((client) => accept(client, invitation, authenticator())));
    expect(done.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = tries[done.findIndex(({ status }) => status === 200)];
    expect(await winner?.get("/project")).toMatchObject({ body: { person: "carol" } });
    expect(await accept(browser(), invitation, authenticator())).toMatchObject({
      status: 401,
      body: { problem: { code: "INVITATION_REFUSED" } },
    });
    const old = await invited("carol");
    await team.database.pool.query("update isdlc.invitation set expires_at = now() - interval '1 second'");
    expect(await accept(browser(), old, authenticator())).toMatchObject({ status: 401 });
    const replaced = await invited("carol");
    await invited("carol");
    expect(await accept(browser(), replaced, authenticator())).toMatchObject({ status: 401 });
  });

  test("keep an invitation valid after a wrong answer", async () => {
    const invitation = await invited("dora");
    const wrong: readonly How[] = [
      { origin: "https://evil.example" },
      { relyingParty: "evil.example" },
      { isVerified: false },
      { type: "webauthn.get" },
    ];
    for (const how of wrong)
      expect(await accept(browser(), invitation, makingWrongly(how)), JSON.stringify(how)).toMatchObject({
        status: 403,
        body: { problem: { code: "PASSKEY_REFUSED" } },
      });
    const of = await withPasskey("erik");
    expect(await accept(browser(), invitation, of.key)).toMatchObject({ status: 403 });
    expect(await accept(browser(), invitation, authenticator())).toMatchObject({ status: 200 });
  });

  test("reject signatures of another origin, relying party, type or key [S6]", async () => {
    const { key } = await withPasskey("frida");
    const client = browser();
    const wrong: readonly How[] = [
      { origin: "https://evil.example" },
      { origin: `http://127.0.0.1:${new URL(team.url).port}` },
      { relyingParty: "evil.example" },
      { isVerified: false },
      { type: "webauthn.create" },
    ];
    const refused = { status: 401, body: { problem: { code: "PASSKEY_REFUSED" } } };
    for (const how of wrong) expect(await client.showPasskey(key, how), JSON.stringify(how)).toMatchObject(refused);
    expect(await client.showPasskey(authenticator())).toMatchObject(refused);
    const forged = createAuthenticator(client.origin, key.passkey.id);
    expect(await client.showPasskey(forged)).toMatchObject(refused);
    expect(client.cookie()).toBe("");
  });

  test("accept a challenge once, for its purpose and within five minutes", async () => {
    const { client, key } = await withPasskey("gina");
    const fresh = async (path = "/session/passkey/challenge"): Promise<string> =>
      (await client.post(path, {})).body.challenge as string;
    const show = async (challenge: string): Promise<number> =>
      (await client.post("/session/passkey", key.assert(challenge))).status;
    const once = await fresh();
    expect(await show(once)).toBe(200);
    expect(await show(once)).toBe(401);
    expect(await show(await fresh("/passkeys/options"))).toBe(401);
    expect(await show(randomBytes(32).toString("base64url"))).toBe(401);
    const old = await fresh();
    await team.database.pool.query("update isdlc.passkey_challenge set expires_at = now() - interval '1 second'");
    expect(await show(old)).toBe(401);
    const assertion = key.assert(await fresh());
    const crossing = await Promise.all([1, 2, 3].map(() => client.post("/session/passkey", assertion)));
    expect(crossing.map(({ status }) => String(status)).toSorted()).toEqual(["200", "401", "401"]);
  });

  test("are registered only by the session that requested the challenge", async () => {
    const [one, other] = [await withPasskey("hanna"), await withPasskey("ines")];
    const { challenge } = (await one.client.post("/passkeys/options", {})).body;
    const made = authenticator().make(challenge as string);
    expect(await other.client.post("/passkeys", made)).toMatchObject({ status: 403 });
    expect(await one.client.post("/passkeys", made)).toMatchObject({ status: 200 });
    expect(await one.client.post("/passkeys", made)).toMatchObject({ status: 403 });
  });

  test("are removed only by their owner, which ends their sessions", async () => {
    const [one, other] = [await withPasskey("julia"), await withPasskey("kim")];
    await other.client.post("/passkeys/remove", { id: one.key.passkey.id });
    expect(await one.client.get("/passkeys")).toMatchObject({ status: 200, body: { passkeys: [{ name: "test" }] } });
    await one.client.post("/passkeys/remove", { id: one.key.passkey.id });
    expect(await one.client.get("/project")).toMatchObject({ status: 401 });
    expect(await one.client.showPasskey(one.key)).toMatchObject({ status: 401 });
  });

  test("cannot be added by an old session, and sessions expire", async () => {
    const { client } = await withPasskey("lena");
    const at = (column: string, ago: string): Promise<unknown> =>
      team.database.pool.query(
        `update isdlc.page_session set ${column} = now() - interval '${ago}' where person = 'lena'`,
      );
    await at("begun_at", "11 minutes");
    expect(await client.addPasskey(authenticator())).toMatchObject({ status: 403 });
    expect(await client.get("/passkeys")).toMatchObject({ status: 200, body: { passkeys: [{ name: "test" }] } });
    await at("expires_at", "1 second");
    expect(await client.get("/passkeys")).toMatchObject({ status: 401 });
    expect(await client.addPasskey(authenticator())).toMatchObject({ status: 401 });
  });

  test("are deleted together with sessions and invitations of a revoked account", async () => {
    const { client, key } = await withPasskey("mara");
    const open = await invited("mara");
    await team.administer("revoke", "mara");
    expect(await client.get("/project")).toMatchObject({ status: 401 });
    expect(await client.showPasskey(key)).toMatchObject({ status: 401 });
    expect(await accept(browser(), open, authenticator())).toMatchObject({ status: 401 });
  });

  test("require the server's origin, JSON and a session on every route [S6]", async () => {
    const { url } = await team.server();
    const [client, stranger] = [createPageClient(url), createPageClient(url)];
    expect(await client.signIn(team.adas)).toMatchObject({ status: 200 });
    for (const path of ["/passkeys", "/passkeys/options", "/passkeys/remove"]) {
      expect(await stranger.post(path, {}), path).toMatchObject({ status: 401 });
      expect(await client.post(path, {}, { origin: "https://evil.example" }), path).toMatchObject({ status: 403 });
      expect(await client.post(path, {}, { "sec-fetch-site": "cross-site" }), path).toMatchObject({ status: 403 });
      expect(await client.post(path, {}, { "content-type": "text/plain" }), path).toMatchObject({ status: 415 });
    }
    for (const path of ["/session/passkey", "/session/passkey/challenge", "/session/invitation/options"])
      expect(await stranger.post(path, {}, { origin: "https://evil.example" }), path).toMatchObject({ status: 403 });
    for (const body of [{}, [], { id: "x".repeat(3000) }, { invitation: "../../etc/passwd" }, { invitation: 7 }])
      for (const path of ["/session/passkey", "/session/invitation", "/session/invitation/options"])
        expect(await stranger.post(path, body), path).toMatchObject({ status: 400 });
    expect(await stranger.post("/session/passkey", { id: "x".repeat(5_000_000) })).toMatchObject({ status: 413 });
    expect(await client.get("/project")).toMatchObject({ status: 200 });
  });

  test("slow down repeated failures without blocking registered passkeys [S6]", async () => {
    const { url } = await team.server();
    const guessing = createPageClient(url);
    const key = createAuthenticator(guessing.origin, randomBytes(16).toString("base64url"));
    expect(await accept(guessing, await invited("olga"), key)).toMatchObject({ status: 200 });
    const stranger = createAuthenticator(guessing.origin, randomBytes(16).toString("base64url"));
    expect(await guessing.showPasskey(key)).toMatchObject({ status: 200 });
    const seen: number[] = [];
    for (let tries = 0; tries < 21; tries++) seen.push((await guessing.showPasskey(stranger)).status);
    expect(seen).toEqual([...Array<number>(20).fill(401), 429]);
    expect(await guessing.signIn("isdlc_person_0000000000000000000000")).toMatchObject({ status: 429 });
    expect(await guessing.showPasskey(key)).toMatchObject({ status: 200 });
  });
});
