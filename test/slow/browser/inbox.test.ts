import { expect, test } from "vitest";
import { expectAccessible, open, serve } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

test("navigates the inbox by keyboard: search, filters, pages and key list", async () => {
  const shop = await shopAtGate();
  expect(await shop.person("cancel", "--reason", "not now")).toMatchObject({ code: 0 });
  expect(await shop.script("Gift cards", "--supervised", "--allow-dirty", ...shop.agent)).toMatchObject({ code: 3 });
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  const rows = () => page.locator("[data-row] .row-title").allTextContents();
  await expect.poll(rows).toEqual(["Gift cards", TITLE]); // pending decisions come first
  expect(await page.locator("[data-row]").first().textContent()).toMatch(/Review.*lines.*waiting/);

  await page.keyboard.press("/");
  await page.keyboard.type("percentage cap");
  await expect.poll(rows).toEqual([TITLE]);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("nothing like it");
  await expect.poll(rows).toEqual([]);
  await expectAccessible(page);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Tab");
  for (const [filter, expected] of [
    ["Waiting", ["Gift cards"]],
    ["Running", []],
    ["Finished", [TITLE]],
  ] as const) {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("button", { name: filter, exact: true }).getAttribute("aria-pressed")).toBe("true");
    await expect.poll(rows).toEqual(expected);
  }

  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  for (const [key, title] of [
    ["t", "Items"],
    ["c", "Charts"],
    ["s", "Settings"],
    ["i", "Inbox"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  }
  await page.locator("[data-row]").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator("[data-decision]").waitFor();
  expect(troubles).toEqual([]);
});

test("links to the inbox from an unknown run or page", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  for (const path of ["/runs/20200101-000000000-aaaa", "/runs/20200101-000000000-aaaa/gate", "/nowhere"]) {
    await page.goto(new URL(path, link).href);
    await page.getByRole("link", { name: /inbox/i }).last().waitFor();
    await expectAccessible(page);
  }
  expect(troubles).toEqual([]);
});
