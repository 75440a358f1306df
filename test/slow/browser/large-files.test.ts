import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { open, type OpenedPage, serve, type ServedUi } from "./page-browser.ts";

const LINES = 50_000;
const CODE = Array.from({ length: LINES }, (_, at) => `export const value${at} = ${at};\n`).join("");
const CUT = Array.from({ length: 40_000 }, (_, at) => `line ${at} ${"x".repeat(40)}\n`).join("");
const BINARY = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
const BEFORE = Buffer.from("old\0\u0001\u0002\u0003", "latin1");
/** Longer than the longest document that a page gets. */
const LONG_DOCUMENT = `# Long\n\n${Array.from({ length: 20_000 }, (_, at) => `- item ${at} with *text* and \`code\``).join("\n")}\n`;
/** Short enough to be drawn, with too many elements to draw them at once. */
const DENSE_DOCUMENT = `# Dense\n\n${"*a* ".repeat(15_000)}\n`;
const NESTED_DOCUMENT = `${"> ".repeat(3000)}deep\n`;
const MANY = Array.from({ length: 8 }, (_, at) => [
  `docs/part-${at}.md`,
  `# Part ${at}\n\n${"- *item* `code`\n".repeat(400)}`,
]);

const DOCUMENTS: Readonly<Record<string, string>> = {
  "docs/long.md": LONG_DOCUMENT,
  "docs/dense.md": DENSE_DOCUMENT,
  "docs/nested.md": NESTED_DOCUMENT,
  ...Object.fromEntries(MANY),
};

let sandbox: Sandbox;
let served: ServedUi;
let opened: OpenedPage;

beforeAll(async () => {
  sandbox = await createSandbox({ files: { "src/image.bin": BEFORE.toString("latin1") } });
  const written = { "src/large.ts": CODE, "src/cut.log": CUT, "src/other.ts": "export const other = 1;\n" };
  sandbox.plan({
    turns: {
      plan: [{ writes: DOCUMENTS, result: { artifacts: Object.keys(DOCUMENTS) } }],
      implement: [{ writes: written, bytes: { "src/image.bin": BINARY.toString("base64") } }],
    },
  });
  expect(await sandbox.script("Add large files", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  served = await serve(sandbox);
  opened = await open(served.link);
});

/** Counts elements: those in the page when the decision was first there, and the most that came at once after it. */
const COUNTING = `
  window.counted = { atDecision: null, most: 0 };
  new MutationObserver((changes) => {
    let added = 0;
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element) added += 1 + node.querySelectorAll("*").length;
    if (window.counted.atDecision !== null) window.counted.most = Math.max(window.counted.most, added);
    else if (document.querySelector("[data-decision] .button-primary"))
      window.counted.atDecision = document.querySelectorAll("*").length;
  }).observe(document, { childList: true, subtree: true });
`;

test("offers the decision before any document is drawn, and draws no document of more elements than a browser draws at once", async () => {
  const { page, context } = opened;
  await context.addInitScript(COUNTING);
  await page.goto(`${served.origin}/runs/${(await sandbox.status()).id}/gate`);
  for (const path of ["docs/long.md", "docs/dense.md", "docs/nested.md"])
    await expect.poll(() => page.locator(`[data-document="${path}"]`).textContent()).toContain("This is its source");
  await expect.poll(() => page.locator('[data-document="docs/part-7.md"] li').count()).toBe(400);
  const { atDecision, most } = await page.evaluate<{ atDecision: number; most: number }>("window.counted");
  expect(atDecision).toBeGreaterThan(50);
  expect(atDecision).toBeLessThan(2500);
  expect(most).toBeGreaterThan(500);
  expect(most).toBeLessThan(8000);
});

test("displays only lines on the screen of a source, and all of them by scrolling", async () => {
  const { page } = opened;
  const source = page.locator('[data-document="docs/long.md"] .source');
  expect(Number(await source.getAttribute("data-lines"))).toBeGreaterThan(
    LONG_DOCUMENT.slice(0, 400_000).split("\n").length - 3,
  );
  await source.scrollIntoViewIfNeeded();
  expect(await source.locator(".source-line").count()).toBeLessThan(200);
  await page.evaluate("document.querySelector('[data-document=\"docs/dense.md\"]').scrollIntoView({ block: 'end' })");
  await page.evaluate("window.scrollBy(0, -800)");
  await expect.poll(() => page.evaluate("document.querySelectorAll('.source-line').length")).toBeLessThan(400);
});

async function save(
  page: Page,
  within: Locator,
  name = "Save the whole file",
): Promise<{ readonly name: string; readonly contents: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), within.getByRole("button", { name }).click()]);
  return { name: download.suggestedFilename(), contents: readFileSync(await download.path()) };
}

test("states how much of a long document is missing, and saves all of it", async () => {
  const { page } = opened;
  const document = page.locator('[data-document="docs/long.md"]');
  const bytes = Buffer.byteLength(LONG_DOCUMENT);
  expect(await document.textContent()).toContain(`Truncated: ${bytes - 400_000} of ${bytes} bytes are not shown.`);
  const { contents } = await save(page, document);
  expect(contents.equals(Buffer.from(LONG_DOCUMENT))).toBe(true);
});

test.each([
  ["src/image.bin", "Binary file not shown: binary content, 5000 bytes, before 7 bytes.", BINARY],
  ["src/cut.log", /Truncated: \d+ of \d+ bytes of the diff are not shown\./, Buffer.from(CUT)],
] as const)("states how much of %s is missing, and saves the whole file", async (path, message, contents) => {
  const { page } = opened;
  if ((await sandbox.status()).current === "plan") expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  await page.goto(`${served.origin}/runs/${(await sandbox.status()).id}/gate`);
  await page.locator(`.outline-link[title="${path}"]`).click();
  const at = page.locator(".diff-message").filter({ hasText: message });
  if (path === "src/cut.log") {
    await page.locator('.folder .outline-link[title="docs/dense.md"]').click(); // the next file in review order
    await page.locator('[data-file="docs/dense.md"]').waitFor();
    await page.evaluate("window.scrollBy(0, -300)");
  }
  await at.waitFor();
  const file = await save(page, at);
  expect(file.name).toBe(path.slice("src/".length));
  expect(file.contents.equals(contents)).toBe(true);
  if (path !== "src/image.bin") return expect(await at.getByRole("button").count()).toBe(1);
  expect((await save(page, at, "Save it as it was before")).contents.equals(BEFORE)).toBe(true);
});

/** Actions at 50,000 lines, each with the number of elements that it adds to the page. */
const ACTIONS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ["marks", (page) => page.locator('[data-file="src/large.ts"]').getByLabel("Viewed").click()],
  ["opens", (page) => page.locator('[data-file="src/large.ts"] .diff-file-name').click()],
  ["switches to two sides", (page) => page.getByRole("button", { name: "Side by side" }).click()],
  ["closes", (page) => page.locator('[data-file="src/large.ts"] .diff-file-name').click()],
  ["switches to one side", (page) => page.getByRole("button", { name: "Unified" }).click()],
];

test("marks, closes and switches files of 50,000 lines with few elements", async () => {
  const { page, troubles } = opened;
  await page.locator('.outline-link[title="src/large.ts"]').click();
  await expect
    .poll(() => page.evaluate("document.activeElement.closest('[data-file]')?.dataset.file"))
    .toBe("src/large.ts");
  expect(Number(await page.locator(".diff").getAttribute("data-rows"))).toBeGreaterThan(LINES);
  for (const [what, act] of ACTIONS) {
    await page.evaluate("window.counted.most = 0");
    const rows = await page.locator(".diff").getAttribute("data-rows");
    await act(page);
    if (what !== "switches to one side" && what !== "switches to two sides")
      await expect.poll(() => page.locator(".diff").getAttribute("data-rows")).not.toBe(rows);
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const most = await page.evaluate<number>("window.counted.most");
    expect([what, most < 3000, (await page.locator(".diff-item").count()) < 300]).toEqual([what, true, true]);
  }
  expect(troubles).toEqual([]);
});
