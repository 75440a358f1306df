import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, openAt } from "../browser/page-browser.ts";
import { addAuthenticator } from "../browser/virtual-authenticator.ts";
import { namedOrigin } from "./support/page-client.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

describe.runIf(hasPostgres)("passkeys in a team's web UI", () => {
  let team: Team;

  beforeAll(async () => {
    team = await createTeam();
  });

  test("let an invited user create a passkey, sign in with it and remove it", async () => {
    const { link } = await team.administer("invite", "bob", "--origin", namedOrigin(team.url));
    const { page, context, troubles } = await openAt(link as string);
    await addAuthenticator(page);
    await page.getByLabel("Name").fill("Bob's <b>key</b>");
    expect(page.url()).not.toContain("isdlc_invitation_");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("link", { name: "Your passkeys" }).click();
    const own = page.getByRole("list", { name: "Your passkeys" });
    await expect.poll(() => own.textContent()).toContain("Bob's <b>key</b>");
    await expectAccessible(page);
    await own.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("This passkey is not known here");
    expect(troubles).toEqual([]);
    await page.goto(link as string);
    await page.getByRole("button", { name: "Create the passkey" }).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("was used before or has expired");
    await context.close();
  });

  test("let a user signed in with a token add a passkey", async () => {
    const { page, context } = await openAt(namedOrigin(team.url));
    await addAuthenticator(page);
    await page.getByLabel("Your token").fill(team.adas);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Your passkeys" }).click();
    await page.getByRole("button", { name: "Create the passkey" }).click();
    await page.getByRole("button", { name: "Remove This device" }).waitFor();
    await team.administer("revoke", "ada");
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });
});
