import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../browser/page-browser.ts";
import { hasPostgres } from "./support/team-database.ts";
import { askPage, pageHeaders, signedIn } from "./support/team-page.ts";
import { createTeam, type Team } from "./support/team.ts";

describe.runIf(hasPostgres)("settings in a team's web UI", () => {
  let team: Team;
  let bobs: string;

  beforeAll(async () => {
    team = await createTeam();
    bobs = await team.token("person", "bob");
    await team.token("person", "vic");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("policy", "sample", "--four-eyes", "on");
    await team.administer("reviewers", "sample", "finish", "ada", "bob");
  });

  test("let a user create and revoke a script token that is shown once", async () => {
    const { page, context, troubles } = await signedIn(team, bobs);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Name").fill("nightly");
    await page.getByRole("button", { name: "Make a token" }).click();
    const shown = await page.getByRole("status").locator("code").textContent();
    expect(await team.ask(shown ?? "", "/api/team")).toMatchObject({ status: 200, body: { person: "bob" } });
    expect(await team.ask(shown ?? "", "/api/tokens", { name: "more", days: 1 })).toMatchObject({ status: 403 });
    await expectAccessible(page);
    await page.reload();
    await page.getByRole("button", { name: "Revoke nightly" }).click();
    await expect.poll(() => page.getByRole("row", { name: /nightly/ }).textContent()).toContain("revoked");
    expect(await page.content()).not.toContain(shown);
    expect(await team.ask(shown ?? "", "/api/team")).toMatchObject({ status: 401 });
    expect(await page.getByRole("heading", { name: /^sample/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("let an admin see the policy and change roles", async () => {
    const { page, context, troubles } = await signedIn(team, team.adas);
    await page.getByRole("link", { name: "Settings" }).click();
    const policy = page.getByRole("region", { name: /^sample/ });
    await expect.poll(() => policy.textContent()).toContain("The author of a run cannot accept it.");
    expect(await policy.textContent()).toContain("finish: ada, bob");
    expect(await policy.textContent()).toContain(team.remote);
    await expectAccessible(page);
    await policy.getByLabel("Another person").fill("nobody-here");
    await policy.getByRole("button", { name: "Add as viewer" }).click();
    await page.getByText('No user is called "nobody-here".').first().waitFor();
    await policy.getByLabel("Another person").fill("vic");
    await policy.getByRole("button", { name: "Add as viewer" }).click();
    await policy.getByLabel("Role of vic").selectOption("reviewer");
    const members = async () => (await team.ask(team.adas, "/api/repositories/sample/members")).body.members;
    await expect.poll(members).toContainEqual({ person: "vic", role: "reviewer" });
    await policy.getByLabel("Role of vic").selectOption("no role");
    await expect.poll(members).not.toContainEqual({ person: "vic", role: "reviewer" });
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("reject requests without a role, from another site or in another format [S6]", async () => {
    const bob = await pageHeaders(team, bobs);
    const ada = await pageHeaders(team, team.adas);
    const status = async (path: string, headers: Record<string, string>, body?: unknown): Promise<number> =>
      (await askPage(team, path, { headers, body })).status;
    const role = { repository: "sample", person: "bob", role: "admin" };
    const token = { name: "nightly", days: 1 };
    for (const path of ["/tokens", "/policy?repository=sample"]) expect(await status(path, {}), path).toBe(401);
    expect(await status("/policy?repository=sample", bob)).toBe(403);
    expect(await status("/policy?repository=other", ada)).toBe(400);
    expect(await team.ask(bobs, "/api/repositories/sample/policy")).toMatchObject({ status: 403 });
    expect(await team.ask(team.adas, "/api/repositories/sample/policy")).toMatchObject({
      status: 200,
      body: { isFourEyes: true, reviewers: [{ phase: "finish", people: ["ada", "bob"] }] },
    });
    const told = await team.as(team.adas, "team", "policy", "sample");
    expect(told.stdout).toContain("finish is accepted by ada, bob.");
    expect(await team.as(bobs, "team", "policy", "sample")).toMatchObject({ code: 1 });
    expect(await status("/members", bob, role)).toBe(403);
    expect(await status("/members", ada, { ...role, role: "owner" })).toBe(400);
    expect(await status("/members", ada, { ...role, person: "x".repeat(64) })).toBe(400);
    expect(await status("/tokens", bob, { name: "sign-in", days: 1 })).toBe(400);
    expect(await status("/tokens", bob, { name: "-x", days: 1 })).toBe(400);
    expect(await status("/tokens", bob, { name: "nightly", days: 1000 })).toBe(400);
    for (const [path, body] of [
      ["/members", role],
      ["/tokens", token],
      ["/tokens/revoke", { name: "sign-in" }],
    ] as const) {
      expect(await status(path, { ...ada, origin: "https://evil.example" }, body), path).toBe(403);
      expect(await status(path, { cookie: ada.cookie }, body), path).toBe(403);
      expect(await status(path, { ...ada, "sec-fetch-site": "same-site" }, body), path).toBe(403);
      expect(await status(path, { ...ada, "content-type": "text/plain" }, body), path).toBe(415);
    }
    const { tokens } = (await team.ask(bobs, "/api/tokens")).body;
    expect(tokens.filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)).toHaveLength(1);
  });
});
