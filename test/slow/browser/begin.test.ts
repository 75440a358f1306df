import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../support/cli.ts";
import { expectAccessible, open, serve } from "./page-browser.ts";

/** A user who configured an agent command, because the web UI accepts none. */
async function ownSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  const [, command = ""] = sandbox.agent;
  expect(await sandbox.person("config", "set", "agent-command", command)).toMatchObject({ code: 0 });
  return sandbox;
}

const wish = (page: Page) => page.getByLabel("What should be done?");

test("starts a run in the web UI and asks the same questions as a terminal", async () => {
  const sandbox = await ownSandbox({ files: { "package.json": '{"scripts":{"test":"node --test"}}' } });
  sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
  chmodSync(join(sandbox.root, ".git/hooks/pre-commit"), 0o755);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "New run" }).click();
  await wish(page).fill("Add a greeting");
  await page.getByRole("button", { name: "Start" }).click();
  const asked = page.getByRole("alert");
  for (const about of [/node --test/, /pre-commit/]) {
    await expect.poll(() => asked.textContent()).toMatch(about);
    await expectAccessible(page);
    await asked.getByRole("button", { name: "Continue without it" }).click();
  }
  await page.getByRole("link", { name: "Open the review" }).waitFor({ timeout: 60_000 });
  const [started] = await sandbox.events();
  expect(started).toMatchObject({ type: "run.started", title: "Add a greeting", supervision: { enabled: true } });
  expect(troubles).toEqual([]);
});

test("adds, analyzes and builds an item from the list", async () => {
  const sandbox = await ownSandbox();
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.goto(new URL("/items", link).href);
  await page.getByRole("link", { name: "Add one" }).click();
  await wish(page).fill("Gift cards");
  await page.getByRole("radio", { name: /Add to the backlog only/ }).check();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "Analyze gift-cards" }).click();
  await page.getByRole("checkbox", { name: "Pause for my approval after each phase" }).uncheck();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("button", { name: "Standard" }).click({ timeout: 60_000 });
  await expect.poll(() => page.locator(".run-head").textContent(), { timeout: 60_000 }).toContain("Completed");
  await page.getByRole("link", { name: "Items" }).click();
  await expect.poll(() => page.locator(".table").textContent()).toContain("analyzed");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Build gift-cards" }).click();
  await page.getByRole("button", { name: "Start" }).click();
  const asked = page.getByRole("alert").getByRole("button").first();
  const head = page.locator(".run-head");
  await asked.or(head).first().waitFor({ timeout: 60_000 });
  if (await asked.isVisible()) await asked.click();
  await expect.poll(() => head.textContent(), { timeout: 60_000 }).toContain("gift-cards");
  expect(troubles).toEqual([]);
});

test("changes settings and shows their source, but leaves approvals to a terminal", async () => {
  const sandbox = await ownSandbox();
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.goto(new URL("/settings", link).href);
  await page.getByLabel("redo.limit", { exact: true }).fill("5");
  await page.getByRole("button", { name: "Save redo.limit" }).click();
  await expect.poll(() => page.locator(".toast").textContent()).toContain("redo.limit is set");
  await page.getByLabel("session", { exact: true }).selectOption("shared");
  await page.getByRole("button", { name: "Save session" }).click();
  await expect.poll(() => page.locator(".toast").textContent()).toContain("session is set");
  expect(await sandbox.script("config", "get", "redo.limit")).toMatchObject({ stdout: expect.stringContaining("5") });
  expect(await sandbox.script("config", "get", "session")).toMatchObject({ stdout: expect.stringContaining("shared") });
  const row = page.locator(".setting", { hasText: "redo.limit" });
  expect(await row.textContent()).toContain("set by you, for every project");
  await page.getByLabel("redo.limit", { exact: true }).fill("many");
  await page.getByRole("button", { name: "Save redo.limit" }).click();
  await expect.poll(() => page.locator(".toast").textContent()).toContain('Invalid value "many"');
  expect(await page.getByLabel("approvals", { exact: true }).count()).toBe(0);
  expect(await page.locator(".setting", { hasText: "approvals" }).textContent()).toContain("in a terminal");
  expect(troubles).toEqual([]);
});

test("refuses a second run while one is open and keeps the text", async () => {
  const sandbox = await ownSandbox();
  expect(await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.getByRole("link", { name: "New run" }).click();
  await wish(page).fill("Add a farewell");
  await page.getByRole("button", { name: "Start" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain('the run "Add a greeting" is still open');
  expect(await wish(page).inputValue()).toBe("Add a farewell");
  expect((await sandbox.events()).filter(({ type }) => type === "run.started")).toHaveLength(1);
  expect(troubles).toEqual([]);
});
