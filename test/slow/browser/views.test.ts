import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { expectAccessible, type Look, open, serve } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

/** Pictures used by the documents, written only with ISDLC_IMAGES=docs/images. Other folders get every picture. */
const SHOWN = new Set(
  ["inbox", "gate", "run", "run-story", "charts", "items", "settings", "new-run"]
    .map((view) => `${view}-light`)
    .concat(["diff-dark", "gate-phone"]),
);
const IMAGES = process.env["ISDLC_IMAGES"] ?? "";

async function picture(page: Page, name: string): Promise<void> {
  const isKept = IMAGES !== "" && (!IMAGES.endsWith("docs/images") || SHOWN.has(name));
  if (isKept) mkdirSync(IMAGES, { recursive: true });
  const taken = await page.screenshot(isKept ? { path: join(IMAGES, `${name}.png`) } : {});
  expect(taken.length).toBeGreaterThan(10_000); // bytes; an empty page is smaller
}

/** A finished run, a run at a gate with findings, and an item in the backlog. */
async function busyShop(): Promise<Sandbox> {
  const shop = await shopAtGate();
  for (const answer of [["redo", "The empty cart"], ["continue"], ["continue"], ["continue"]])
    expect(await shop.person(...answer)).toMatchObject({ code: 3 });
  expect(await shop.person("answer", "merge")).toMatchObject({ code: 0 });
  expect(await shop.script("add", "Gift cards")).toMatchObject({ code: 0 });
  expect(await shop.script(`${TITLE}, once more`, "--supervised", "--allow-dirty", ...shop.agent)).toMatchObject({
    code: 3,
  });
  expect(await shop.person("continue")).toMatchObject({ code: 3 });
  return shop;
}

const APPEARANCES: readonly (readonly [string, Look])[] = [
  ["light", {}],
  ["dark", { dark: true }],
  ["phone", { width: 390, height: 844 }],
];

describe("every view", () => {
  test("has no serious accessibility finding and no horizontal overflow", async () => {
    const shop = await busyShop();
    for (const [look, size] of APPEARANCES) {
      const { link, child, ended } = await serve(shop);
      const { page, troubles } = await open(link, size);
      const check = async (name: string): Promise<void> => {
        await expectAccessible(page);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
        expect([look, name, overflow]).toEqual([look, name, 0]);
        await picture(page, `${name}-${look}`);
      };
      await page.locator("[data-row]").first().waitFor();
      await check("inbox");
      await page.locator("[data-row]").first().click();
      await page.locator(".diff .note").waitFor();
      await check("gate");
      await page.locator("#changes").scrollIntoViewIfNeeded();
      if (look !== "phone") await page.getByRole("button", { name: "Side by side" }).click();
      await page.evaluate("document.querySelector('#changes').scrollIntoView()");
      await check("diff");
      if (look !== "phone") await page.getByRole("button", { name: "Unified" }).click();
      await page.locator("[data-decision]").getByRole("button", { name: /^Redo/ }).click();
      await page.getByRole("dialog").waitFor();
      await check("decision");
      await page.keyboard.press("Escape");
      await page.locator(".back").click();
      await page.locator(".phases").waitFor();
      await check("run");
      for (const tab of ["Activity", "Documents", "Story"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.locator('[role="tabpanel"][data-state="active"]').waitFor();
        await check(`run-${tab.toLowerCase()}`);
      }
      await page.getByRole("tab", { name: "Timeline" }).click();
      for (const [path, name, ready] of PAGES) {
        await page.goto(new URL(path, link).href);
        await page.locator(ready).first().waitFor();
        await check(name);
      }
      expect(troubles).toEqual([]);
      child.kill("SIGINT");
      await ended;
    }
  });
});

const PAGES = [
  ["/items", "items", ".table"],
  ["/charts", "charts", ".bars"],
  ["/settings", "settings", ".setting"],
  ["/new", "new-run", ".choice"],
] as const;

test("answers questions, a failure and the finish question in the web UI", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({
    turns: {
      plan: [
        {
          result: {
            status: "needs_input",
            questions: [
              { id: "unit", text: "Cents or euros?", choices: ["cents", "euros"] },
              { id: "name", text: "What is it called?" },
            ],
          },
        },
        {},
      ],
      implement: [{ result: { status: "failed", summary: "The compiler is missing" } }, {}],
    },
  });
  expect(await sandbox.script("Add a greeting", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.locator("[data-row]").first().click();
  await page.getByRole("radio", { name: "euros" }).check();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send answers" }).click();
  await page.getByText("The compiler is missing").first().waitFor({ timeout: 60_000 });
  await expectAccessible(page);
  expect((await sandbox.events()).find((event) => event.type === "questions.answered")).toMatchObject({
    replies: [
      { id: "unit", text: "euros" },
      { id: "name", text: null },
    ],
  });
  await page.getByRole("button", { name: "Retry" }).click();
  const keep = page.getByRole("button", { name: "Keep", exact: true });
  await page
    .getByText(/Open the review|All phases are done/)
    .first()
    .waitFor({ timeout: 60_000 });
  if (await page.getByRole("link", { name: "Open the review" }).isVisible()) {
    await page.getByRole("link", { name: "Open the review" }).click();
    await page.locator("[data-decision]").getByRole("button", { name: "Continue" }).click();
  }
  await keep.waitFor({ timeout: 60_000 });
  await keep.click();
  await expect.poll(() => page.locator(".run-head").textContent(), { timeout: 60_000 }).toContain("Completed");
  expect(troubles).toEqual([]);
});

test("scrolls a diff of 10,000 lines smoothly with few rows in the page", async () => {
  const sandbox = await createSandbox();
  const lines = Array.from({ length: 10_000 }, (_, at) => `export const value${at} = ${at} * 2; // line ${at}`).join(
    "\n",
  );
  sandbox.plan({ turns: { implement: [{ writes: { "src/large.ts": lines } }] } });
  await sandbox.script("Add values", "--supervised", ...sandbox.agent);
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.locator("[data-row]").first().click();
  await page.locator('[data-file="src/large.ts"]').waitFor();
  expect(Number(await page.locator(".diff").getAttribute("data-rows"))).toBeGreaterThan(10_000);
  const longest = await mostForOneStep(page);
  expect(await page.locator(".diff-item").count()).toBeLessThan(300);
  await expect.poll(() => page.locator(".diff").textContent()).toContain("line 9999");
  expect(longest).toBeLessThan(500); // a page with every row takes seconds
  expect(troubles).toEqual([]);
});

const STEPS = 60;

/** Scrolls from top to bottom. Returns the most CPU that one step took in the page, in milliseconds. */
async function mostForOneStep(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  let [before, most] = [await seconds(), 0];
  for (let step = 1; step <= STEPS; step++) {
    await page.evaluate(`(async () => {
      window.scrollTo(0, (document.documentElement.scrollHeight * ${step}) / ${STEPS});
      await new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
    const now = await seconds();
    most = Math.max(most, now - before);
    before = now;
  }
  expect(most, "the browser counts").toBeGreaterThan(0);
  return most * 1000;

  async function seconds(): Promise<number> {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  }
}
