import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectAccessible, open, serve, serving } from "./page-browser.ts";
import { addAuthenticator } from "./virtual-authenticator.ts";
import { createShop, TITLE } from "./shop.ts";

test("registers a passkey, then requires it for decisions and verifies its signatures", async () => {
  const shop = await createShop();
  const adding = await serving(shop, ["passkey", "add"]);
  const { page, troubles } = await open(adding.link);
  await addAuthenticator(page);
  await page.getByLabel("Name").fill("The test's key");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the passkey" }).click();
  await page.getByText("Registered.").waitFor();
  expect(await adding.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("The test's key") });
  expect(await shop.person("config", "set", "approvals", "passkey")).toMatchObject({ code: 0 });
  expect(await shop.script(TITLE, "--supervised", ...shop.agent)).toMatchObject({ code: 3 });

  const { link } = await serve(shop);
  await page.goto(link);
  await page.getByRole("link", { name: TITLE }).click();
  const decision = page.locator("[data-decision]");
  await decision.getByRole("button", { name: "Continue" }).click();
  await page.locator(".phases").waitFor();
  await page.getByRole("link", { name: "Open the review" }).waitFor();
  const events = await shop.events();
  expect(events.find((event) => event.type === "gate.answered")).toMatchObject({ by: { channel: "passkey" } });
  expect(await shop.person("continue")).toMatchObject({ code: 1, stderr: expect.stringContaining("PASSKEY_NEEDED") });
  expect(await shop.script("verify-journal")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 signed decisions, in order"),
  });

  const keep = page.getByRole("button", { name: "Keep", exact: true });
  while (!(await keep.isVisible())) {
    await page.getByRole("link", { name: "Open the review" }).click();
    await decision.getByRole("button", { name: "Continue" }).click();
    await page
      .getByText(/Open the review|All phases are done/)
      .first()
      .waitFor();
  }
  await keep.click();
  await page.getByRole("button", { name: "Sign what was done with a passkey" }).click();
  await page.getByText(/Signed: run /).waitFor();
  await expectAccessible(page);
  const [{ signer }] = JSON.parse((await shop.script("passkey", "list", "--json")).stdout).passkeys;
  writeFileSync(join(shop.base, "signers"), `ada@example.org ${signer}\n`);
  const verify = ["verify", "change/percentage-discount-with-a-cap", "--signers", join(shop.base, "signers")];
  expect(await shop.script(...verify)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("(passkey of ada@example.org)"),
  });
  expect(troubles).toEqual([]);
});
