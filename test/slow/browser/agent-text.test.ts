import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSandbox } from "../../support/cli.ts";
import { MARKDOWN_SAMPLES, randomDocuments } from "./markdown-samples.ts";
import { open, serve } from "./page-browser.ts";

/** Names of HTML entities known to the web UI's Markdown parser. */
function entityNames(): readonly string[] {
  const source = readFileSync(join(import.meta.dirname, "../../../node_modules/character-entities/index.js"), "utf8");
  return [...source.matchAll(/^ {2}([A-Za-z0-9]+): /gm)].flatMap(([, name]) => name ?? []);
}

const decision = (page: Page) => page.locator("[data-decision]");

test("renders named entities, odd Markdown and random text, and keeps the decision usable", async () => {
  const names = entityNames();
  expect(names.length).toBeGreaterThan(2000);
  const entities = names.map((name) => `&${name};`).join(" ");
  const written = { "{item}/plan.md": `# Entities &amp; more\n\n${entities}\n` };
  const samples = [...MARKDOWN_SAMPLES, ...randomDocuments(40)];
  const documents = Object.fromEntries(samples.map((text, at) => [`docs/sample-${at}.md`, text]));
  const said = "Fish &amp; chips &hellip; <b>bold</b> &nope;";
  const sandbox = await createSandbox();
  const finding = { severity: "note", description: said, location: "src/by-agent.js:1" };
  sandbox.plan({
    always: { says: [said] },
    turns: {
      plan: [
        {
          writes: { ...written, ...documents },
          result: { summary: said, decisions: [said], artifacts: ["{item}/plan.md", ...Object.keys(documents)] },
        },
      ],
      "plan reviewer": [{ verdict: { approved: true, summary: said, issues: [finding] } }],
    },
  });
  expect(await sandbox.script(said, "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.locator("[data-row]").first().click();
  await expect.poll(() => page.locator('[data-document$="plan.md"]').textContent()).toContain("Entities & more");
  expect(await page.locator(".document").count()).toBe(samples.length + 1);
  expect(await page.locator(".document", { hasText: "cannot be shown" }).count()).toBe(0);
  for (const character of ["Æ", "∳", "¾", "𝔸", "⪢̸"])
    expect(await page.locator('[data-document$="plan.md"]').textContent()).toContain(character);
  expect(await decision(page).getByRole("button").count()).toBeGreaterThan(1);
  await page.locator(".back").click();
  for (const tab of ["Activity", "Documents", "Story", "Timeline"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator('[role="tabpanel"][data-state="active"]').waitFor();
  }
  await page.getByRole("tab", { name: "Documents" }).click();
  await page.reload();
  await page.locator(".document").waitFor();
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(troubles).toEqual([]);
});
