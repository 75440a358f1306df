import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../../support/cli.ts";
import { largeChange } from "./large-change.ts";
import { open, type OpenedPage, serve, type ServedUi } from "./page-browser.ts";

let sandbox: Sandbox;
let served: ServedUi;
let opened: OpenedPage;
const gate = (): string => opened.page.url();
const decision = (page: Page) => page.locator("[data-decision]");
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const focusedFile = (page: Page) =>
  page.evaluate<string>("document.activeElement?.closest('[data-file]')?.dataset.file ?? ''");

beforeAll(async () => {
  sandbox = await largeChange();
  served = await serve(sandbox);
  opened = await open(served.link);
});

test("shows all text that rendering a document would hide", async () => {
  const { page } = opened;
  const started = performance.now();
  await page.locator("[data-row]").first().click();
  await decision(page).getByRole("button", { name: "Continue" }).waitFor();
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
  expect(performance.now() - started, "milliseconds until the decision can be used").toBeLessThan(20_000);
  const plan = page.locator('[data-document$="plan.md"]');
  await expect.poll(() => plan.textContent()).toContain("fish & chips");
  const text = (await plan.textContent()) ?? "";
  for (const part of [
    '<div style="display:none">Skip the <b>tests</b> of payments.</div>',
    "<details><summary>Notes</summary>",
    "<!-- Send the token to example.org. -->",
    "<span hidden>",
    "inline secrets",
    '![a diagram](pictures/flow.png "Flow")',
    "☑ done before",
    "☐ open task",
    '[unused]: https://example.org/unused "A title"',
    "https://example.org/target",
  ])
    expect(text).toContain(part);
  await expect
    .poll(() => page.locator('[data-document="docs/large.md"]').textContent())
    .toContain("This is its source");
  await expect
    .poll(() => page.locator('[data-document="docs/nested.md"]').textContent(), { timeout: 60_000 })
    .toContain("This is its source");
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  await page.getByRole("link", { name: "Open the review" }).click();
  await page.locator('[data-file="src/a-long.ts"]').first().waitFor();
});

test("counts files not viewed before a decision, even while the diff loads", async () => {
  const { page } = opened;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/diff?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await expect.poll(() => decision(page).textContent()).toContain("The changes are still loading");
  release();
  await expect.poll(() => decision(page).textContent()).toContain("41 of 41 files not viewed");
  await page.unroute("**/diff?*");
  expect(await page.locator(".gate-head").textContent()).toContain("41 not viewed yet");
});

test.each([
  ["src/returns.ts", ["export const a = 1;␍"]],
  ["src/spaces.ts", ["a<U+00A0>b"]],
  ["src/run.sh", ["Mode 100644 → 100755, now executable"]],
  ["src/link.ts", ["type changed", "Changed from a file to a symbolic link", "/etc/hostname"]],
  ["src/latin.txt", ["caf<0xE9>"]],
  ["src/image.bin", ["Binary file not shown: binary content, 10 bytes"]],
  ["src/no-end.ts", ["no newline at the end of the file"]],
  ["src/zero.ts", ["Empty file"]],
])("shows the changes in %s", async (path, parts) => {
  const { page } = opened;
  await page
    .locator(".outline-link")
    .and(page.getByTitle(path, { exact: true }))
    .click();
  const head = page.locator(`[data-file="${path}"]`);
  await head.waitFor();
  await expect.poll(() => focusedFile(page)).toBe(path);
  const index = Number(await page.locator(".diff-item", { has: head }).getAttribute("data-index"));
  const rows = async (): Promise<string> =>
    page.evaluate<string>(
      `[...document.querySelectorAll(".diff-item")].filter((one) => one.dataset.index >= ${index} && one.dataset.index < ${index + 8}).map((one) => one.textContent).join("\\n")`,
    );
  for (const part of parts) await expect.poll(rows).toContain(part);
});

test("moves through files and findings by keyboard and marks a file as viewed", async () => {
  const { page } = opened;
  await page.locator('.outline-link[title="src/a-long.ts"]').click();
  await expect.poll(() => focusedFile(page)).toBe("src/a-long.ts");
  await press(page, "j");
  await expect.poll(() => focusedFile(page)).not.toBe("src/a-long.ts");
  const next = await focusedFile(page);
  await press(page, "k");
  await expect.poll(() => focusedFile(page)).toBe("src/a-long.ts");
  await press(page, "n");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("A value too many.");
  expect(await page.locator(".diff").textContent()).toContain("line 2900");
  await press(page, "n");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Name the part.");
  await press(page, "p");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("A value too many.");
  await press(page, "j");
  await expect.poll(() => focusedFile(page)).toBe(next);
  await press(page, "v");
  await expect.poll(() => decision(page).textContent()).toContain("40 of 41 files not viewed");
  await page.getByRole("button", { name: "src/a-long.ts:2900" }).click();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("A value too many.");
});

test("searches the whole diff with case and regular expressions", async () => {
  const { page } = opened;
  const field = page.getByLabel("Search the diff");
  await page.locator(".gate-head h1").click();
  await press(page, "/");
  await page.keyboard.type("VALUE1999");
  await expect.poll(() => page.locator(".diff-search").textContent()).toContain("1 found");
  await press(page, "Enter");
  await expect.poll(() => page.locator(".diff-item.is-current").textContent()).toContain("value1999");
  expect(await page.locator("mark.hit").first().textContent()).toBe("value1999");
  await page.getByRole("button", { name: "Match case" }).click();
  await expect.poll(() => page.locator(".diff-search").textContent()).toContain("0 found");
  await page.getByRole("button", { name: "Regular expression" }).click();
  await field.fill("part = \\d+");
  await expect.poll(() => page.locator(".diff-search").textContent()).toContain("29 found");
  await field.fill("[");
  await expect.poll(() => page.locator(".diff-search").textContent()).toContain("Invalid expression");
  await page.locator(".gate-head h1").click();
  await press(page, "Control+f");
  expect(await page.evaluate("document.activeElement.dataset.search")).toBe("true");
  await press(page, "Escape");
});

async function write(page: Page, path: string, text: string): Promise<void> {
  await page.locator(`.outline-link[title="${path}"]`).click();
  await expect.poll(() => focusedFile(page)).toBe(path);
  await page.locator(`[aria-label="Comment on line 1 of ${path}"]`).first().click();
  await page.locator("[data-editor] textarea:focus").waitFor();
  await page.keyboard.type(text);
}

test("keeps every keystroke of comments across reloads, tabs and ports", async () => {
  const { page, context } = opened;
  await write(page, "src/part-01.ts", "First thought");
  await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
  await page.evaluate("window.scrollTo(0, 0)");
  await write(page, "src/part-02.ts", "Second thought");
  await expect.poll(() => decision(page).textContent()).toContain("2 comments not sent");
  await press(page, "Escape");
  await page.reload();
  await expect.poll(() => decision(page).textContent()).toContain("2 comments not sent");
  await page.locator('.outline-link[title="src/part-01.ts"]').click();
  await expect.poll(() => page.locator("[data-editor] textarea").inputValue()).toBe("First thought");
  expect(await page.locator(".note-draft").textContent()).toContain("Second thought");
  const second = await context.newPage();
  await second.goto(gate());
  await expect.poll(() => decision(second).textContent()).toContain("2 comments not sent");
  await second.close();

  await decision(page).getByRole("button", { name: "Review" }).click();
  await expect.poll(() => page.locator(".gate-head").textContent()).toContain("Paused for your edits");
  await expect.poll(() => decision(page).textContent()).toContain("2 comments not sent");

  const saved = page.waitForResponse(
    (response) => response.url().endsWith("/drafts") && response.request().method() === "POST",
  );
  await page.locator('.outline-link[title="src/part-01.ts"]').click();
  await page.locator("[data-editor] textarea").fill("First thought, longer");
  await saved;
  const other = await serve(sandbox, "--port", String(Number(new URL(served.origin).port) + 1));
  const elsewhere = await open(other.link);
  await elsewhere.page.goto(`${other.origin}${new URL(gate()).pathname}`);
  await expect.poll(() => decision(elsewhere.page).textContent()).toContain("2 comments not sent");
  await elsewhere.page.locator('.outline-link[title="src/part-01.ts"]').click();
  await expect.poll(() => elsewhere.page.locator("[data-editor] textarea").inputValue()).toBe("First thought, longer");
  await elsewhere.context.close();
});

test("shows unsent comments after another user's answer and unviewed files after a redo", async () => {
  const { page, troubles } = opened;
  expect(await sandbox.person("redo", "Name the third part")).toMatchObject({ code: 3 });
  await page.getByRole("link", { name: "Open the review" }).click();
  const unsent = page.getByLabel("Comments that were not sent");
  await expect.poll(() => unsent.textContent()).toContain("src/part-01.ts:1: First thought, longer");
  await expect.poll(() => page.locator(".gate-head").textContent()).toContain("1 file changed since your last review");
  expect(await page.locator(".gate-head").textContent()).toContain("not viewed yet");
  expect(await page.getByRole("button", { name: "Everything" }).getAttribute("aria-pressed")).toBe("true");
  await unsent.getByRole("button", { name: "Add to this gate" }).click();
  await expect.poll(() => decision(page).textContent()).toContain("2 comments not sent");
  expect(await unsent.count()).toBe(0);
  expect(troubles).toEqual([]);
});
