import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../../support/cli.ts";
import { detailedChange } from "./detailed-change.ts";
import { focused, focusedFile, focusedText, KEYS, openEditor, outline, press } from "./gate-keys.ts";
import { open, type OpenedPage, serve } from "./page-browser.ts";

let sandbox: Sandbox;
let opened: OpenedPage;
type Gate = { readonly page: Page };

/** Paths of the listed files that are not isdlc's own. */
const titles = (page: Page) =>
  page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('.folder')].filter((one) => !one.textContent.startsWith('Written by')).flatMap((one) => [...one.querySelectorAll('.outline-link')]).map((one) => one.title)",
  );
const decision = (page: Page) => page.locator("[data-decision]");
beforeAll(async () => {
  sandbox = await detailedChange();
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  opened = await open((await serve(sandbox)).link);
  await opened.page.locator("[data-row]").first().click();
  await opened.page.locator('[data-file="src/a.ts"]').waitFor();
});

const positions = (page: Page) =>
  page.evaluate<readonly (readonly [string, number])[]>(
    "[...document.querySelectorAll('[data-decision] button')].map((one) => [one.firstChild.textContent, Math.round(one.getBoundingClientRect().left)])",
  );

const ROWS: readonly (readonly [string, (gate: Gate) => Promise<void>])[] = [
  [
    "keeps the name of a long file visible and marks it in the outline",
    async ({ page }) => {
      await outline(page, "src/long.ts").click();
      await expect.poll(() => focusedFile(page)).toBe("src/long.ts");
      await page.mouse.move(700, 500);
      await page.mouse.wheel(0, 3000);
      await expect.poll(() => page.locator(".diff-in-view").textContent()).toBe("src/long.ts");
      const top = (await page.locator(".diff-in-view").boundingBox())?.y ?? -1;
      expect(top).toBeGreaterThanOrEqual((await page.locator(".gate-head").boundingBox())?.height ?? 0);
      await expect.poll(() => page.locator(".outline-link[aria-current]").getAttribute("title")).toBe("src/long.ts");
      await outline(page, "src/a.ts").click();
      await expect.poll(() => page.locator(".outline-link[aria-current]").getAttribute("title")).toBe("src/a.ts");
    },
  ],
  [
    "lists files of the root folder under no other folder",
    async ({ page }) => {
      const folder = page.locator(".folder", { has: outline(page, "root.ts") });
      expect(await folder.locator(".folder-name").textContent()).toBe("(root)");
      expect(await folder.locator(".outline-link").count()).toBe(1);
    },
  ],
  [
    "lists files in review order with headings, by folders or by names, and only those of the phase",
    async ({ page }) => {
      const review = await titles(page);
      await expect.poll(() => page.locator(".diff-group").first().textContent()).toMatch(/^Code \(\d+\): files whose/);
      await page.getByRole("button", { name: "Names" }).click();
      await expect.poll(() => titles(page)).toEqual(review.toSorted());
      expect(await page.locator(".diff-group").allTextContents()).not.toContain("Code");
      await page.getByRole("button", { name: "Review order" }).click();
      await expect.poll(() => titles(page)).toEqual(review);
      await page.getByRole("button", { name: "This phase" }).click();
      await expect.poll(() => titles(page)).toEqual(review.filter((path) => !path.endsWith("/plan.md")));
      await page.getByRole("button", { name: "Everything" }).click();
    },
  ],
  [
    "shows lines that differ only in white space as unchanged, on request",
    async ({ page }) => {
      await outline(page, "src/spaced.ts").click();
      const changed = page.locator(".diff-line.removed, .diff-line.added").filter({ hasText: "return 1" });
      await expect.poll(() => changed.count()).toBe(2);
      const tool = page.getByRole("button", { name: "Ignore white space" });
      await tool.click();
      await outline(page, "src/spaced.ts").click();
      const same = page.locator(".diff-line.context", { hasText: "return 1" });
      await expect.poll(() => same.textContent()).toContain("white space changed");
      expect(await changed.count()).toBe(0);
      await tool.click();
    },
  ],
  [
    "keeps the decision buttons at their places, in tab order",
    async ({ page }) => {
      const before = await positions(page);
      expect(before.map(([, left]) => left)).toEqual(before.map(([, left]) => left).toSorted((a, b) => a - b));
      await press(page, "d");
      for (const [label] of before.toReversed()) {
        expect(await focusedText(page)).toBe(label);
        await press(page, "Shift+Tab");
      }
      expect(await positions(page)).toEqual(before);
    },
  ],
  [
    "announces lines as added and removed",
    async ({ page }) => {
      await outline(page, "src/a.ts").click();
      await page.locator('[aria-label="Comment on line 3 of src/a.ts"]').first().waitFor();
      for (const [kind, text] of [
        ["removed", "export const a3 ="],
        ["added", "export const a3 ="],
      ] as const) {
        const heard = await page.locator(`.diff-line.${kind}`, { hasText: "a3" }).ariaSnapshot();
        expect(heard).toMatch(new RegExp(`text: ${kind}\\n[^]*${text}`));
        expect(heard).not.toMatch(/[−+]/);
      }
    },
  ],
  [
    "does what the list of keys says",
    async ({ page }) => {
      await press(page, "?");
      const listed = await page.locator(".keys kbd").allTextContents();
      await press(page, "Escape");
      expect(listed.toSorted()).toEqual(Object.keys(KEYS).toSorted());
      for (const key of listed) await KEYS[key]?.(page);
    },
  ],
  [
    "never loses the focus after saving, cancelling or deleting a comment",
    async ({ page }) => {
      for (const name of ["Add comment", "Discard"]) {
        await openEditor(page, "src/a.ts", 3);
        await page.keyboard.type("A thought");
        await page.locator("[data-editor]").getByRole("button", { name }).click();
        await page.locator("[data-editor]").waitFor({ state: "detached" });
        await expect.poll(() => focused(page, "active.matches('#content')")).toBe("false");
      }
      await page.locator(".note-draft").getByRole("button", { name: "Delete" }).focus();
      await press(page, "Enter");
      await page.locator(".note-draft").waitFor({ state: "detached" });
      await expect.poll(() => focusedText(page)).not.toBe("body");
    },
  ],
  [
    "comments on several lines, with a suggestion for all of them",
    async ({ page }) => {
      await openEditor(page, "src/a.ts", 4);
      await page.keyboard.type("One constant is enough.");
      await page
        .locator('[aria-label="Comment on line 5 of src/a.ts"]')
        .first()
        .click({ modifiers: ["Shift"] });
      const last = page.getByLabel("Last line of the comment");
      await expect.poll(() => last.inputValue()).toBe("5");
      await last.fill("6");
      await page.getByRole("button", { name: "Suggest a change" }).click();
      const suggestion = page.getByLabel("Replace these lines with");
      await expect
        .poll(() => suggestion.inputValue())
        .toBe("export const a4 = 4;\nexport const a5 = 5;\nexport const a6 = 6;");
      await suggestion.fill("export const a4 = 15;");
      await press(page, "Control+Enter");
      await expect.poll(() => page.locator(".note-draft").textContent()).toContain("lines 4 to 6");
    },
  ],
  [
    "stays at the gate after Review, says that the run is paused and how to resume, and keeps the focus",
    async ({ page }) => {
      const review = decision(page).getByRole("button", { name: "Review" });
      await review.focus();
      await press(page, "Enter");
      const state = page.locator(".notice", { hasText: "The run is paused for your edits" });
      await expect.poll(() => state.textContent()).toContain("isdlc continue");
      expect(await page.locator(".gate-phase").textContent()).toBe("Implementation");
      await expect.poll(() => focusedText(page)).not.toBe("body");
      expect((await sandbox.status()).wait).not.toBeNull();
    },
  ],
  [
    "shows guidance and comments of a redo at the next gate, and says that all redos are used",
    async ({ page }) => {
      await decision(page).getByRole("button", { name: /^Redo/ }).click();
      await page.getByLabel("What else should this phase consider?").fill("Fewer constants.");
      await page.getByRole("dialog").getByRole("button", { name: "Redo" }).click();
      await page.getByRole("link", { name: "Open the review" }).waitFor();
      expect(await focusedText(page)).not.toBe("body");
      const prompt = sandbox.log().at(-2)?.prompt ?? "";
      expect(prompt).toContain("src/a.ts:4-6: One constant is enough.");
      expect(prompt).toContain("The lines:\n  > export const a4 = 4;\n  > export const a5 = 5;");
      await page.getByRole("link", { name: "Open the review" }).click();
      const asked = page.locator(".panel", { hasText: "Your comments and the agent" });
      await expect.poll(() => asked.locator(".quote").textContent()).toBe("Fewer constants.");
      expect(await asked.textContent()).toContain("src/a.ts:4-6");
      expect(await asked.textContent()).toContain("Renamed.");
      expect(await page.locator(".gate-main").textContent()).toContain("All redos of this phase are used (1 of 1).");
      expect(await decision(page).getByRole("button", { name: /^Redo/ }).count()).toBe(0);
      expect(await decision(page).getByRole("button", { name: "Go back" }).count()).toBe(1);
    },
  ],
  [
    "answers in the thread of an earlier comment, and sends the answer with Go back",
    async ({ page }) => {
      await outline(page, "src/a.ts").click();
      const note = page.locator(".diff .note-earlier", { hasText: "One constant is enough." });
      await note.getByRole("button", { name: "Reply" }).click();
      await page.keyboard.type("Still three.");
      await press(page, "Control+Enter");
      await press(page, "d");
      await expect.poll(() => focusedText(page)).toContain("Go back");
    },
  ],
];

test.each(ROWS)("%s", async (_claim, check) => {
  await check({ page: opened.page });
  expect(opened.troubles).toEqual([]);
});
