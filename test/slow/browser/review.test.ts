import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { open, serve } from "./page-browser.ts";
import { shopAtGate } from "./shop.ts";

test("by keyboard alone: from the inbox to a comment on a line of code, and the redo", async () => {
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
  await page.getByRole("link", { name: "Open the review" }).waitFor();
  expect(troubles).toEqual([]);
});

/** As text, as these tests know nothing of a browser's types. */
const isFocused = async (page: Page, file: string): Promise<boolean> =>
  (await page.evaluate(`document.activeElement?.closest("[data-file]")?.dataset.file ?? ""`)) === file;
const focusedLabel = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement?.getAttribute("aria-label") ?? ""`);
const focusedText = (page: Page): Promise<string> => page.evaluate(`document.activeElement?.textContent ?? ""`);
