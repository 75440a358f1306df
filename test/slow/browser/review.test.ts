import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { createSandbox } from "../../support/cli.ts";
import { open, serve } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

const decision = (page: Page) => page.locator("[data-decision]");
const block = (page: Page, text: string) =>
  page.locator(".document li, .document div.block").filter({ hasText: text }).last();

async function comment(page: Page, on: string, words: string): Promise<void> {
  await block(page, on).hover();
  await block(page, on)
    .getByRole("button", { name: /^Comment on line/ })
    .first()
    .click();
  await page.getByPlaceholder("What should be different here?").fill(words);
  await page.getByRole("button", { name: "Add comment" }).click();
}

test("reviews by mouse from the inbox to the merge", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: TITLE }).click();

  await comment(page, "An empty cart", "An empty cart should cost nothing.");
  await comment(page, "A discount of a percentage", "Is the cap in cents?");
  await expect.poll(() => decision(page).textContent()).toContain("2 comments not sent");
  expect((await shop.events()).some(({ type }) => type === "gate.answered")).toBe(false);
  await page.reload();
  await page.waitForSelector("[data-note]");
  expect(await page.locator(".note-draft").count()).toBe(2);

  await decision(page).getByRole("button", { name: /^Redo/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Redo" }).click();
  await page.getByRole("link", { name: "Open the review" }).click();
  await page.getByText("Your comments and the agent's replies").waitFor();
  const asked = page.locator(".panel", { hasText: "Your comments and the agent" });
  await expect.poll(() => asked.textContent()).toContain("An empty cart costs nothing now.");
  expect(await asked.textContent()).toContain("Not changed");
  const answered = (await shop.events()).find((event) => event.type === "gate.answered");
  expect(answered).toMatchObject({
    choice: "redo",
    by: { channel: "dashboard" },
    comments: [
      { id: "C1", text: "An empty cart should cost nothing.", place: { line: 9, side: "new" } },
      { id: "C2", text: "Is the cap in cents?" },
    ],
  });
  expect(shop.log()[1]?.prompt).toContain("An empty cart should cost nothing.");

  await decision(page).getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Open the review" }).click();
  await page.locator('[data-file="src/cart.ts"]').waitFor();
  await expect.poll(() => page.locator(".diff .note-note").textContent()).toContain("the cap is in cents");
  await page.locator('[data-file="src/cart.ts"]').getByLabel("Viewed").check();
  await page.reload();
  await expect.poll(() => page.locator('[data-file="src/cart.ts"]').getByLabel("Viewed").isChecked()).toBe(true);

  await decision(page).getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Open the review" }).click();
  await decision(page).getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Merge" }).click();
  await expect.poll(() => page.locator(".run-head").textContent(), { timeout: 60_000 }).toContain("Completed");
  expect(shop.git("show", "main:src/cart.ts")).toContain("discount");
  expect(troubles).toEqual([]);
});

test("reviews by keyboard from the inbox to the merge", async () => {
  const shop = await shopAtGate();
  expect(await shop.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.locator("[data-row]").first().waitFor();
  await press("j", "Enter");
  await page.locator('[data-file="src/cart.ts"]').waitFor();
  for (let at = 0; at < 40 && !(await isFocused(page, "src/cart.ts")); at++) await press("j");
  await press("v");
  await expect.poll(() => page.locator('[data-file="src/cart.ts"]').getByLabel("Viewed").isChecked()).toBe(true);
  await press("v");
  await page.locator('[aria-label^="Comment on line 11 of src/cart.ts"]').first().waitFor();
  for (let at = 0; at < 60 && !(await focusedLabel(page)).startsWith("Comment on line 10 of src/cart.ts"); at++)
    await press("Tab");
  await press("Enter");
  await page.keyboard.type("Never below zero, please.");
  await press("Control+Enter");
  await expect.poll(() => page.locator(".note-draft").textContent()).toContain("Never below zero");
  await press("d");
  for (let at = 0; at < 6 && !(await focusedText(page)).startsWith("Redo"); at++) await press("Tab");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  for (let at = 0; at < 6 && (await focusedText(page)) !== "Redo"; at++) await press("Tab");
  await press("Enter");
  await page.locator(".phases").waitFor();
  const answered = (await shop.events()).findLast((event) => event.type === "gate.answered");
  expect(answered).toMatchObject({
    choice: "redo",
    comments: [{ id: "C1", place: { path: "src/cart.ts", line: 10 } }],
  });
  const pressUntil = async (isThere: () => Promise<boolean>, key: string): Promise<void> => {
    for (let at = 0; at < 80 && !(await isThere()); at++) await press(key);
    await press("Enter");
  };
  for (const phase of ["Implementation", "Final Review"]) {
    await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 60_000 });
    await pressUntil(async () => (await focusedText(page)) === "Open the review", "Tab");
    await expect.poll(() => page.locator(".gate-phase").textContent()).toBe(phase);
    await press("d");
    await pressUntil(async () => (await focusedText(page)) === "Continue", "Tab");
    await page.locator(".phases").waitFor();
  }
  await page.getByRole("button", { name: "Merge" }).waitFor({ timeout: 60_000 });
  await pressUntil(async () => (await focusedText(page)) === "Merge", "Tab");
  await expect.poll(() => page.locator(".run-head").textContent(), { timeout: 60_000 }).toContain("Completed");
  expect(shop.git("show", "main:src/cart.ts")).toContain("limit");
  expect(troubles).toEqual([]);
});

/** Code as text, because these tests have no browser types. */
const isFocused = async (page: Page, file: string): Promise<boolean> =>
  (await page.evaluate(`document.activeElement?.closest("[data-file]")?.dataset.file ?? ""`)) === file;
const focusedLabel = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement?.getAttribute("aria-label") ?? ""`);
const focusedText = (page: Page): Promise<string> => page.evaluate(`document.activeElement?.textContent ?? ""`);

test("shows comments of all rounds at their quoted lines, and resolves them", async () => {
  const shop = await createSandbox();
  const document = (...before: readonly string[]): string =>
    `# Plan\n\n${before.map((text) => `${text}\n\n`).join("")}Pay in euros.\n`;
  shop.plan({
    turns: {
      plan: [document(), document("First."), document("First.", "Second.")].map((text) => ({
        writes: { "{item}/plan.md": text },
        result: { replies: [] },
      })),
    },
  });
  await shop.script("Take payments", "--supervised", ...shop.agent);
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.locator("[data-row]").first().click();
  const round = async (words: string): Promise<void> => {
    await comment(page, "Pay in euros.", words);
    await decision(page).getByRole("button", { name: /^Redo/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Redo" }).click();
    await page.getByRole("link", { name: "Open the review" }).click();
  };
  await round("Dollars, too?");
  await round("And pounds?");
  const line = block(page, "Pay in euros.");
  await expect.poll(() => line.textContent()).toContain("Dollars, too?");
  await expect.poll(() => line.textContent()).toContain("And pounds?");
  await line.locator(".note", { hasText: "Dollars, too?" }).getByRole("button", { name: "Resolve" }).click();
  await expect.poll(() => line.textContent()).not.toContain("Dollars, too?");
  await page.reload();
  await expect.poll(() => line.textContent()).toContain("And pounds?");
  expect(await line.textContent()).not.toContain("Dollars, too?");
  const elsewhere = await open((await serve(shop)).link);
  await elsewhere.page.locator("[data-row]").first().click();
  const there = block(elsewhere.page, "Pay in euros.");
  await expect.poll(() => there.textContent()).toContain("And pounds?");
  await expect.poll(() => there.textContent()).not.toContain("Dollars, too?");
  await elsewhere.context.close();
  const panel = page.locator(".panel", { hasText: "Your comments and the agent" });
  await panel.locator("summary").last().click();
  await panel.getByRole("button", { name: "Reopen" }).click();
  await expect.poll(() => line.textContent()).toContain("Dollars, too?");
  expect(troubles).toEqual([]);
});
