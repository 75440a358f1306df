import { expect, test } from "vitest";
import { createSandbox } from "../../support/cli.ts";
import { expectAccessible, open, serve } from "./page-browser.ts";
import { detailedChange, RENAMED_FROM, RENAMED_TO } from "./detailed-change.ts";
import { shopAtGate, TITLE } from "./shop.ts";

test("comments and redoes by touch, and explains a decision before it is sent", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, troubles } = await open(link, { width: 390, height: 844, touch: true });
  const decision = page.locator("[data-decision]");
  await page.getByRole("link", { name: TITLE }).tap();
  const line = page.locator(".document li").filter({ hasText: "An empty cart" }).last();
  await line.getByRole("button", { name: /^Comment on line/ }).tap();
  await page.getByPlaceholder("What should be different here?").fill("Nothing at all.");
  await page.getByRole("button", { name: "Add comment" }).tap();
  await decision.getByRole("button", { name: /^Redo/ }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "Redo" }).tap();
  await page.getByRole("link", { name: "Open the review" }).tap();
  await decision.getByRole("button", { name: "Continue" }).tap();
  const dialog = page.getByRole("dialog");
  expect(await dialog.textContent()).toContain("Accepts these changes and starts Implementation.");
  await expectAccessible(page);
  expect((await shop.events()).filter((event) => event.type === "gate.answered")).toHaveLength(1);
  await dialog.getByRole("button", { name: "Continue" }).tap();
  await page.getByRole("link", { name: "Open the review" }).tap();
  await page.locator(".diff .diff-line").first().waitFor();
  expect(await page.getByRole("button", { name: "Side by side" }).count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
  expect(troubles).toEqual([]);
});

test.for([
  ["reduce", 0],
  ["no-preference", 1],
] as const)("animates the page while an agent works if motion is %s (minimum %i)", async ([motion, least]) => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ hangs: true }] } });
  const running = sandbox.start(["Add a greeting", "--supervised", ...sandbox.agent]);
  const { link } = await serve(sandbox);
  const { page } = await open(link, { motion });
  await page.getByRole("link", { name: "Add a greeting" }).click({ timeout: 60_000 });
  await page.locator(".span-now:not(.span-attempt)").first().waitFor();
  const moving = await page.evaluate<number>(
    "document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect.getTiming().iterations === Infinity).length",
  );
  if (least === 0) expect(moving).toBe(0);
  else expect(moving).toBeGreaterThanOrEqual(least);
  expect(await sandbox.person("cancel", "--reason", "seen")).toMatchObject({ code: 0 });
  await running.ended;
});

test("shows full names of renamed files and no target smaller than 24 pixels", async () => {
  const sandbox = await detailedChange();
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link, { width: 390, height: 844, touch: true });
  await page.locator("[data-row]").first().tap();
  await page
    .locator(".outline-link")
    .and(page.getByTitle(RENAMED_TO, { exact: true }))
    .tap();
  const name = page.locator(`[data-file="${RENAMED_TO}"] .path`);
  await expect.poll(() => name.textContent()).toBe(`${RENAMED_FROM} → ${RENAMED_TO}`);
  const fits = `(({ scrollWidth, clientWidth, right }) => scrollWidth <= clientWidth + 1 && right <= innerWidth)((() => {
    const one = document.querySelector('[data-file="${RENAMED_TO}"] .path');
    return { scrollWidth: one.scrollWidth, clientWidth: one.clientWidth, right: one.getBoundingClientRect().right };
  })())`;
  expect(await page.evaluate(fits)).toBe(true);
  for (const path of [
    new URL(page.url()).pathname,
    new URL(page.url()).pathname.replace("/gate", ""),
    "/",
    "/new",
    "/settings",
    "/items",
    "/charts",
  ]) {
    await page.goto(new URL(path, link).href);
    await page.locator("h1").first().waitFor();
    const { small, all } = await page.evaluate<{ small: string[]; all: number }>(TARGETS);
    expect([path, small]).toEqual([path, []]);
    expect(all).toBeGreaterThan(5);
  }
  expect(troubles).toEqual([]);
});

/** Controls smaller than 24 pixels. Links within a sentence are exempt, and fields inside of a label count with it. */
const TARGETS = `(() => {
  const sizes = [...document.querySelectorAll("button, a, select, textarea, summary, input, label:has(input)")]
    .filter((one) => !(one.matches("input") && one.closest("label")) && !(one.matches("a") && one.closest("p")))
    .filter((one) => !one.matches(".skip"))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, { width }]) => width > 0);
  const small = sizes.filter(([, { width, height }]) => width < 24 || height < 24);
  return { small: small.map(([one, { width, height }]) => one.outerHTML.slice(0, 120) + " " + width + "x" + height), all: sizes.length };
})()`;
