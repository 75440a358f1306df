import { expect, test } from "vitest";
import { open, serve } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

const gate = { name: TITLE } as const;

test("records one answer from two browsers and names the winner in the other", async () => {
  const shop = await shopAtGate();
  const one = await serve(shop);
  const other = await serve(shop, "--port", String(Number(new URL(one.link).port) + 1));
  const [first, second] = [await open(one.link), await open(other.link)];
  for (const { page } of [first, second]) {
    await page.getByRole("link", gate).click();
    await page.route("**/api/live*", (route) => route.abort()); // neither page learns of the other's answer
    await page.reload();
    await page.locator("[data-decision]").waitFor();
  }
  const told = await Promise.all(
    [first, second].map(async ({ page }) => {
      await page.locator("[data-decision]").getByRole("button", { name: "Continue" }).click();
      return page.locator(".toast").textContent();
    }),
  );
  expect(told.filter((text) => text?.includes("Recorded"))).toHaveLength(1);
  expect(told.filter((text) => text?.includes("answered it before you: continue"))).toHaveLength(1);
  expect((await shop.events()).filter(({ type }) => type === "gate.answered")).toHaveLength(1);
});

test("leaves the gate if a terminal answers it, and names the answer", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.getByRole("link", gate).click();
  await page.locator("[data-decision]").waitFor();
  expect(await shop.person("continue", "--no-run")).toMatchObject({ code: 0 });
  await page.locator(".phases").waitFor();
  await expect.poll(() => page.locator(".toast").textContent()).toContain("(token) answered it before you: continue");
  await expect.poll(() => page.locator(".run-head").textContent()).toContain("Interrupted");
  await page.getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => page.locator(".run-head").textContent(), { timeout: 60_000 }).toContain("Review");
  expect(troubles).toEqual([]);
});

test("announces an answer given elsewhere even if the next gate is already open", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.getByRole("link", gate).click();
  await page.locator("[data-decision]").waitFor();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/gate?*", async (route) => {
    await held;
    await route.continue();
  });
  expect(await shop.person("continue")).toMatchObject({ code: 3 });
  release();
  await expect.poll(() => page.locator(".toast").textContent()).toContain("answered it before you: continue");
  await page.getByRole("link", { name: "Open the review" }).click();
  await expect.poll(() => page.locator(".gate-phase").textContent()).toBe("Implementation");
  expect(troubles).toEqual([]);
});

test("keeps drafts and reconnects after the server restarts", async () => {
  const shop = await shopAtGate();
  const before = await serve(shop);
  const { page, context, troubles } = await open(before.link);
  await page.getByRole("link", gate).click();
  await page.locator("[data-decision]").getByRole("button", { name: /^Redo/ }).click();
  await page.getByLabel("What else should this phase consider?").fill("Half a thought");
  await page.keyboard.press("Escape");
  before.child.kill("SIGINT");
  await before.ended;
  await expect.poll(() => page.locator(".connection").textContent()).toBe("Server gone");
  const after = await serve(shop);
  expect(after.origin).toBe(before.origin);
  await page.getByRole("alert").filter({ hasText: "isdlc ui was restarted." }).waitFor();
  const second = await context.newPage();
  await second.goto(after.link);
  await expect.poll(() => page.locator(".connection").textContent(), { timeout: 60_000 }).toBe("Live");
  await page.locator("[data-decision]").getByRole("button", { name: /^Redo/ }).click();
  expect(await page.getByLabel("What else should this phase consider?").inputValue()).toBe("Half a thought");
  await page.getByRole("dialog").getByRole("button", { name: "Redo" }).click();
  await page.locator(".phases").waitFor();
  await expect
    .poll(async () => (await shop.events()).find((event) => event.type === "gate.answered"))
    .toMatchObject({ guidance: "Half a thought" });
  expect(troubles).toEqual([]);
});

test("accepts a link in one browser and ends the session if it is reused", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page } = await open(link);
  const second = await (await page.context().browser()!.newContext()).newPage();
  await second.goto(link);
  await second.getByText("This link has expired or was already used").waitFor();
  await page.reload();
  await expect.poll(() => page.locator("body").textContent()).toContain("Open the link that isdlc ui printed.");
});
