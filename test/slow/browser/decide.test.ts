import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/schema/event.ts";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { expectAccessible, open, serve } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

const head = (page: Page) => page.locator(".run-head");

async function act(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: "More about this run" }).click();
  await page.getByRole("menuitem", { name: label }).click();
}

const dialog = (page: Page) => page.getByRole("dialog");

const find = async (sandbox: Sandbox, type: RunEvent["type"]) =>
  (await sandbox.events()).findLast((event) => event.type === type);

test("restarts and skips a running phase, then cancels the run with a reason", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ says: ["thinking"], hangs: true }] } });
  const running = sandbox.start(["Add a greeting", "--supervised", ...sandbox.agent]);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Add a greeting" }).click({ timeout: 60_000 });
  await expect.poll(() => head(page).textContent()).toContain("Running");
  await expect.poll(async () => (await sandbox.events()).some(({ type }) => type === "execution.started")).toBe(true);
  await act(page, "Restart the phase");
  expect(await dialog(page).textContent()).toContain("Ends the running agent and restarts the phase.");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Restart the phase" }).click();
  await expect.poll(() => find(sandbox, "phase.restarted")).toMatchObject({ by: { channel: "dashboard" } });
  await act(page, "Skip the phase");
  await dialog(page).getByRole("button", { name: "Skip the phase" }).click();
  await expect.poll(() => find(sandbox, "phase.skipped")).toMatchObject({ by: { channel: "dashboard" } });
  await act(page, "Cancel");
  expect(await dialog(page).getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
  await dialog(page).getByLabel("Why?").fill("Not needed any more");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => head(page).textContent(), { timeout: 60_000 }).toContain("Cancelled");
  expect(await find(sandbox, "run.cancelled")).toMatchObject({ reason: "Not needed any more" });
  await running.ended;
  expect(troubles).toEqual([]);
});

test("returns to an earlier phase with guidance and keeps the files", async () => {
  const shop = await shopAtGate();
  expect(await shop.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(shop);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: TITLE }).click();
  await page.locator("[data-decision]").getByRole("button", { name: "Go back" }).click();
  await dialog(page).getByLabel("Back to").selectOption({ label: "Plan" });
  expect(
    await dialog(page)
      .getByRole("radio", { name: /Restore the files/ })
      .isChecked(),
  ).toBe(true);
  await dialog(page).getByLabel("What should be done differently?").fill("Think of refunds");
  expect(
    await dialog(page)
      .getByRole("radio", { name: /Keep the current files/ })
      .isChecked(),
  ).toBe(true);
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Go back" }).click();
  await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 60_000 });
  expect(await find(shop, "run.wentBack")).toMatchObject({ to: "plan", guidance: "Think of refunds", tree: "keep" });
  expect(await shop.status()).toMatchObject({ current: "plan" });
  expect(troubles).toEqual([]);
});

test("retries or skips a failed step", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ result: { status: "failed", summary: "The compiler is missing" } }] } });
  await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Add a greeting" }).click();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect
    .poll(async () => (await sandbox.events()).filter(({ type }) => type === "step.escalated").length)
    .toBe(2);
  await page.getByRole("button", { name: "Skip" }).click();
  expect(await dialog(page).textContent()).toContain("The skip is recorded, and the run continues.");
  await dialog(page).getByRole("button", { name: "Skip" }).click();
  await expect.poll(() => find(sandbox, "step.skipped")).toMatchObject({ by: { channel: "dashboard" } });
  expect(troubles).toEqual([]);
});

test("raises a spent budget", async () => {
  const sandbox = await createSandbox();
  const usage = { input: 1000, output: 500, usd: 2 };
  sandbox.plan({ turns: { plan: [{ result: { usage } }] } });
  await sandbox.script("Add a greeting", "--max-usd", "1", ...sandbox.agent);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Add a greeting" }).click();
  await page.getByText("The budget needs your decision").waitFor();
  expect(await page.locator(".wait").textContent()).toContain("Used so far: 1.5k tokens · $2.00. Allowed: $1.00.");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Raise" }).click();
  await dialog(page)
    .getByLabel(/New limit in dollars/)
    .fill("10");
  await dialog(page).getByRole("button", { name: "Raise" }).click();
  await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 60_000 });
  expect(await find(sandbox, "budget.raised")).toMatchObject({ budget: { usd: 10 }, by: { channel: "dashboard" } });
  expect(troubles).toEqual([]);
});

test("asks for the size of the work", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("feature", "Add a greeting", "--no-supervised", ...sandbox.agent);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: /greeting/i }).click();
  await page.getByText("How large is this work?").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Light" }).click();
  await expect
    .poll(() => find(sandbox, "sizing.decided"))
    .toMatchObject({ effective: "light", by: { channel: "dashboard" } });
  expect(troubles).toEqual([]);
});

test("sends a suggested edit verbatim and keeps drafts and replies after a closed tab", async () => {
  const shop = await shopAtGate();
  const { link } = await serve(shop);
  const { page, context, troubles } = await open(link);
  await page.getByRole("link", { name: TITLE }).click();
  const line = page.locator(".document li").filter({ hasText: "An empty cart" }).last();
  await line.hover();
  await line.getByRole("button", { name: /^Comment on line/ }).click();
  await page.getByRole("button", { name: "Suggest a change" }).click();
  await page.getByLabel("Replace this line with").fill("- An empty cart costs nothing at all");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.locator(".note-draft").waitFor();

  const second = await context.newPage();
  await second.goto(page.url());
  await second.locator(".note-draft").waitFor();
  await page.close();
  await second.reload();
  expect(await second.locator(".note-draft").textContent()).toContain("An empty cart costs nothing at all");
  await second.locator("[data-decision]").getByRole("button", { name: /^Redo/ }).click();
  await dialog(second).getByRole("button", { name: "Redo" }).click();
  await second.getByRole("link", { name: "Open the review" }).click({ timeout: 60_000 });
  expect(await find(shop, "gate.answered")).toMatchObject({
    comments: [{ id: "C1", suggestion: "- An empty cart costs nothing at all", place: { line: 9 } }],
  });
  expect(shop.log()[1]?.prompt).toContain("- An empty cart costs nothing at all");
  const asked = second.locator(".panel", { hasText: "Your comments and the agent" });
  await expect.poll(() => asked.textContent()).toContain("Applied");
  await expect.poll(() => asked.locator(".change-at .added").textContent()).toContain("costs nothing");
  expect(await asked.locator(".change-at .removed").textContent()).toContain("costs only its shipping");
  await expectAccessible(second);
  expect(troubles).toEqual([]);
});

test("keeps unsent answers in the browser", async () => {
  const sandbox = await createSandbox();
  const questions = [{ id: "unit", text: "Cents or euros?", choices: ["cents", "euros"] }];
  sandbox.plan({ turns: { plan: [{ result: { status: "needs_input", questions } }, {}] } });
  await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "Add a greeting" }).click();
  await page.getByLabel("Answer to: Cents or euros?").fill("Neither: points");
  await page.reload();
  await expect.poll(() => page.getByLabel("Answer to: Cents or euros?").inputValue()).toBe("Neither: points");
  await page.getByRole("button", { name: "Send answers" }).click();
  await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 60_000 });
  expect(await find(sandbox, "questions.answered")).toMatchObject({
    replies: [{ id: "unit", text: "Neither: points" }],
  });
  expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('isdlc.replies'))")).toEqual([]);
  expect(troubles).toEqual([]);
});
