import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { pagePort } from "../../../src/compose/open-elsewhere.ts";
import { moveOn, prepareItem, turns } from "../../items-cli/prepared-item.ts";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { open, type OpenedPage, serve, type ServedUi } from "./page-browser.ts";
import { shopAtGate, TITLE } from "./shop.ts";

let shop: Sandbox;
let served: ServedUi;
let opened: OpenedPage;
const at = (path: string): string => new URL(path, served.origin).href;
const told = (page: Page) => page.locator(".toast").textContent();

beforeAll(async () => {
  shop = await shopAtGate();
  expect(await shop.person("continue")).toMatchObject({ code: 3 });
  served = await serve(shop);
  opened = await open(served.link);
});

const run = async (): Promise<string> => (await shop.status()).id;

const ROWS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  [
    "names each screen in its title",
    async (page) => {
      const id = await run();
      for (const [path, title] of [
        ["/", "Inbox"],
        ["/items", "Items"],
        ["/charts", "Charts"],
        ["/settings", "Settings"],
        ["/new", "New run"],
        ["/passkey", "Register a passkey"],
        ["/nowhere", "Not found"],
        [`/runs/${id}`, TITLE],
        [`/runs/${id}/gate`, `Implementation: ${TITLE}`],
      ] as const) {
        await page.goto(at(path));
        await expect.poll(() => page.title()).toBe(`(1) ${title} · iSDLC`);
      }
    },
  ],
  [
    "has the search and the filter of the inbox in its address",
    async (page) => {
      await page.goto(at("/"));
      await page.getByLabel("Search runs").pressSequentially("percentage");
      await page.getByRole("button", { name: "Waiting" }).click();
      await expect.poll(() => new URL(page.url()).search).toBe("?search=percentage&show=waiting");
      await page.reload();
      await expect.poll(() => page.getByLabel("Search runs").inputValue()).toBe("percentage");
      await page.locator("[data-row]").click();
      await page.locator("[data-decision]").waitFor();
      await page.goBack();
      expect(await page.getByRole("button", { name: "Waiting" }).getAttribute("aria-pressed")).toBe("true");
    },
  ],
  [
    "shares marks of viewed files between tabs",
    async (page) => {
      const second = await page.context().newPage();
      for (const tab of [page, second]) await tab.goto(at(`/runs/${await run()}/gate`));
      const box = (tab: Page) => tab.locator('[data-file="src/cart.ts"]').getByLabel("Viewed");
      await box(page).check();
      await expect.poll(() => box(second).isChecked()).toBe(true);
      await box(second).uncheck();
      await expect.poll(() => box(page).isChecked()).toBe(false);
      await second.close();
    },
  ],
  [
    "explains a used link pasted into an open tab, and removes its secret from the address",
    async (page) => {
      await page.goto(at("/"));
      await page.locator("[data-row]").first().waitFor();
      await page.evaluate(`location.hash = "${"x".repeat(43)}"`);
      await expect.poll(() => told(page)).toContain("This link has expired or was already used.");
      expect(new URL(page.url()).hash).toBe("");
      await page.locator("[data-row]").first().waitFor();
    },
  ],
  [
    "keeps the session of a browser that opens its link twice",
    async (page) => {
      for (const tab of [page, await page.context().newPage()]) {
        await tab.goto(served.link);
        await tab.locator("[data-row]").first().waitFor();
        expect(new URL(tab.url()).hash).toBe("");
      }
      await page.reload();
      await page.locator("[data-row]").first().waitFor();
    },
  ],
  [
    "shows no negative time if the clock of this machine is late",
    async (page) => {
      await page.clock.setFixedTime(Date.now() - 3_600_000);
      await page.goto(at(`/runs/${await run()}`));
      await page.getByText("Show as table").click();
      expect(await page.locator(".page").textContent()).not.toMatch(/[-−]\d+ (?:s|min|h)/);
    },
  ],
];

test.each(ROWS)("%s", async (_claim, check) => {
  const page = await opened.context.newPage();
  onTestFinished(() => page.close());
  await check(page);
  expect(opened.troubles).toEqual([]);
});

test("asks about a stale and partial analysis like the terminal, then shows summary and phase names", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  expect(await sandbox.person("config", "set", "agent-command", sandbox.agent[1] ?? "")).toMatchObject({ code: 0 });
  prepareItem(sandbox, { phases: 2 });
  moveOn(sandbox, 3);
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  await page.goto(new URL("/new?what=build&item=login", link).href);
  await page.getByRole("button", { name: "Start" }).click();
  const asked = page.getByRole("alert");
  await expect.poll(() => asked.textContent()).toContain("(3 commits ago)");
  expect(await asked.locator("li").allTextContents()).toEqual([
    "Proceed anywaykeep the analysis as it is",
    "Re-run quick-scanlook at the code again, keep the rest",
    "Re-analyzestart the analysis from scratch",
  ]);
  await asked.getByRole("button", { name: "Proceed anyway" }).click();
  await expect.poll(() => asked.textContent()).toContain("The analysis of this item is not complete.");
  expect(await asked.textContent()).not.toContain("[R]");
  expect(await asked.getByRole("button").allTextContents()).toEqual([
    "Resume analysis",
    "Skip to implementation",
    "Full restart",
  ]);
  await asked.getByRole("button", { name: "Skip to implementation" }).click();
  await expect.poll(() => asked.textContent()).toContain("BUILD SUMMARY: login");
  const summary = (await asked.locator("pre").textContent()) ?? "";
  expect(summary).toContain("Analysis Status: Partially analyzed");
  expect(summary).toMatch(/\[done\] Phase 00[^]*Build will execute:[^]*Phase 06: Implementation[^]*lower quality/);
  await asked.getByRole("button", { name: "Proceed" }).click();
  await page.getByRole("link", { name: "Open the review" }).waitFor();
  for (const tab of ["Activity", "Story", "Timeline"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator('[role="tabpanel"][data-state="active"] > *').first().waitFor();
    expect([tab, phaseKeyIn((await page.locator(".page").textContent()) ?? "")]).toEqual([tab, null]);
  }
  await page.getByRole("link", { name: "Open the review" }).click();
  await page.locator("[data-decision]").waitFor();
  expect(await page.locator(".gate-phase").textContent()).toBe("Test Strategy");
  for (const part of [".gate-head", "[data-decision]"])
    // documents and the diff have words of the agent
    expect(phaseKeyIn((await page.locator(part).textContent()) ?? "")).toBeNull();
  await page.goto(link);
  expect(await page.locator("[data-row]").first().textContent()).toContain("Test Strategy");
  const status = (await sandbox.script("status")).stdout;
  expect(status).toContain("[x] Test Strategy");
  expect(status).toContain("Waiting for you at the gate of Test Strategy:");
  const history = (await sandbox.script("history")).stdout;
  expect(history).toContain("Test Strategy #1 begins (first)");
  expect([phaseKeyIn(status), phaseKeyIn(history)]).toEqual([null, null]);
  expect(troubles).toEqual([]);
});

/** Finds the key of a phase, except in the agent's own words. The web UI shows names, as the terminal does. */
const phaseKeyIn = (text: string): string | null =>
  /.{0,30}\b\d\d-[a-z]+(?:-[a-z]+)*.{0,20}/.exec(text.replaceAll(/Did \S+; turn \d+|\S+ decided/g, ""))?.[0] ?? null;

test("says where the drafts are if another program has taken the port", async () => {
  const sandbox = await createSandbox();
  const port = pagePort(sandbox.root);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { child, ended, origin } = await serve(sandbox);
  expect(origin).not.toContain(`:${port}`);
  child.kill("SIGINT");
  expect((await ended).stderr).toContain(
    `Port ${port} was taken, so the web UI is at port ${new URL(origin).port}. Drafts`,
  );
});
