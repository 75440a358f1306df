import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Authenticator, createAuthenticator, type How } from "../../support/authenticator.ts";
import type { Json } from "../../support/cli.ts";
import { openAt } from "../browser/page-browser.ts";
import { addAuthenticator } from "../browser/virtual-authenticator.ts";
import { type PageAnswer, createPageClient, namedOrigin, type PageClient } from "./support/page-client.ts";
import { createHome } from "./support/second-home.ts";
import { hasPostgres } from "./support/team-database.ts";
import { signIn } from "./support/team-page.ts";
import { beginRun, look, untilWaits } from "./support/team-runs.ts";
import { createTeam, type Team } from "./support/team.ts";

const NEEDED = { status: 403, body: { problem: { code: "PASSKEY_NEEDED" } } };
const REFUSED = { status: 403, body: { problem: { code: "PASSKEY_REFUSED" } } };

describe.runIf(hasPostgres)("policy that requires signed answers", () => {
  let team: Team;
  let run: string;
  let bobs: string;
  let bob: PageClient;
  let key: Authenticator;

  const authenticator = (): Authenticator =>
    createAuthenticator(namedOrigin(team.url), randomBytes(16).toString("base64url"));

  /** Ada has started a run. It waits at its first gate, and Bob has a passkey. */
  beforeAll(async () => {
    team = await createTeam();
    await team.worker("w1");
    bobs = await team.token("person", "bob");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("policy", "sample", "--passkeys", "on");
    run = await beginRun(team);
    await untilWaits(team, run, 0);
    [bob, key] = [createPageClient(team.url), authenticator()];
    await bob.signIn(bobs);
    expect(await bob.addPasskey(key)).toMatchObject({ status: 200 });
  });

  async function decision(option: string): Promise<Json> {
    const { wait, shown } = (await bob.get(`/runs/${run}/gate`)).body;
    return { wait, shown, option, text: option === "redo" ? "Greet by name" : "" };
  }

  const challenge = async (client: PageClient, decided: Json): Promise<string> =>
    (await client.post(`/runs/${run}/challenge`, decided)).body.challenge as string;

  async function answer(decided: Json, how: How = {}, signer = key): Promise<PageAnswer> {
    const assertion = signer.assert(await challenge(bob, decided), how);
    return bob.post(`/runs/${run}/answer`, { ...decided, assertion });
  }

  test("rejects answers from a session, a token and a terminal", async () => {
    const decided = await decision("continue");
    expect(await bob.post(`/runs/${run}/answer`, decided)).toMatchObject(NEEDED);
    expect(await team.ask(bobs, `/api/runs/${run}/answer`, decided)).toMatchObject(NEEDED);
    expect(await team.as(bobs, "redo", "no", "--run", run)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("PASSKEY_NEEDED"),
    });
    const ada = createPageClient(team.url);
    await ada.signIn(team.adas);
    expect(await ada.post(`/runs/${run}/challenge`, decided)).toMatchObject({ status: 403 });
  });

  test("rejects a signature for another decision, origin, relying party or user, and replays", async () => {
    const { head_seq: before } = await team.row(run);
    const [on, again] = [await decision("continue"), await decision("redo")];
    const wrong: readonly How[] = [
      { origin: "https://evil.example" },
      { relyingParty: "evil.example" },
      { isVerified: false },
    ];
    for (const how of wrong) expect(await answer(on, how), JSON.stringify(how)).toMatchObject(REFUSED);
    const send = (decided: Json, assertion: Json): Promise<PageAnswer> =>
      bob.post(`/runs/${run}/answer`, { ...decided, assertion });
    expect(await send(on, key.assert(await challenge(bob, again)))).toMatchObject(REFUSED);
    const { body } = await bob.post("/session/passkey/challenge", {});
    expect(await send(on, key.assert(body.challenge as string))).toMatchObject(REFUSED);
    const carols = { client: createPageClient(team.url), key: authenticator() };
    await carols.client.signIn(await team.token("person", "carol"));
    await team.administer("role", "sample", "carol", "reviewer");
    await carols.client.addPasskey(carols.key);
    expect(await answer(on, {}, carols.key)).toMatchObject(REFUSED);
    expect(await send(on, key.assert(await challenge(carols.client, on)))).toMatchObject(REFUSED);
    expect((await team.row(run)).head_seq).toBe(before);
    const replayed = key.assert(await challenge(bob, again));
    expect(await send(again, replayed)).toMatchObject({ status: 200 });
    await untilWaits(team, run, before as number);
    expect(await send(await decision("redo"), replayed)).toMatchObject(REFUSED);
  });

  test("records a signed answer that the server and any clone verify", async () => {
    const { head_seq: before } = await team.row(run);
    const ada = await openAt(namedOrigin(team.url));
    await addAuthenticator(ada.page);
    await signIn(ada.page, team.adas);
    await ada.page.getByRole("link", { name: "Your passkeys" }).click();
    await ada.page.getByRole("button", { name: "Create the passkey" }).click();
    await ada.page.getByRole("button", { name: "Remove This device" }).waitFor();
    await ada.page.getByRole("link", { name: "Inbox" }).click();
    await ada.page.getByRole("link", { name: "add a greeting" }).click();
    await ada.page.locator("[data-decision]").getByRole("button", { name: "Continue" }).click();
    await ada.page.locator(".phases").waitFor();
    await untilWaits(team, run, before as number);
    expect(ada.troubles).toEqual([]);
    await ada.context.close();
    const { events } = await look(team, run);
    const at = events.findLastIndex(({ type }) => type === "decision.signed");
    expect(events[at]).toMatchObject({ signature: { key: { relyingParty: "localhost" } } });
    expect(events[at + 1]).toMatchObject({ type: "gate.answered", by: { name: "ada", channel: "passkey" } });
    const home = await createHome(team, "dora");
    const doctor = await team.administer("doctor");
    expect(JSON.stringify(doctor)).not.toContain("event ");
    const pulled = await home.says("pull-run", "--run", run);
    expect(pulled, pulled.stderr).toMatchObject({ code: 0 });
    expect(await home.decides("verify-journal")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "2 signed decisions, in order; their owners are named by the server of localhost",
      ),
    });
  });
});
