import type { Page } from "playwright-core";
import { expect } from "vitest";

export const outline = (page: Page, path: string) =>
  page.locator(".outline-link").and(page.getByTitle(path, { exact: true }));
export const focused = (page: Page, what: string) =>
  page.evaluate<string>(`(() => {
  const active = document.activeElement;
  return active === null || active === document.body ? "body" : String(${what});
})()`);
export const focusedFile = (page: Page) => focused(page, "active.closest('[data-file]')?.dataset.file");
export const focusedText = (page: Page) => focused(page, "active.textContent");
export const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

export async function openEditor(page: Page, path: string, line: number): Promise<void> {
  await outline(page, path).click();
  await expect.poll(() => focusedFile(page)).toBe(path);
  await page.locator(`[aria-label="Comment on line ${line} of ${path}"]`).first().click();
  await page.locator("[data-editor] textarea:focus").waitFor();
}

/** What every key of the list of keys does at a gate. */
export const KEYS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "g i": (page) => goesTo(page, "i", "Inbox"),
  "g t": (page) => goesTo(page, "t", "Items"),
  "g c": (page) => goesTo(page, "c", "Charts"),
  "g s": (page) => goesTo(page, "s", "Settings"),
  "/": async (page) => {
    await press(page, "/");
    expect(await focused(page, "active.dataset.search")).toBe("true");
    await press(page, "Escape");
    await page.locator(".gate-head h1").click();
  },
  "j / k": async (page) => {
    await outline(page, "root.ts").click();
    await expect.poll(() => focusedFile(page)).toBe("root.ts");
    await press(page, "j");
    await expect.poll(() => focusedFile(page)).toBe("lib/z.ts");
    await press(page, "k");
    await expect.poll(() => focusedFile(page)).toBe("root.ts");
  },
  "o or Enter": async (page) => {
    const state = (): Promise<string> => focused(page, "active.getAttribute('aria-expanded')");
    await outline(page, "lib/z.ts").click();
    await expect.poll(() => focusedFile(page)).toBe("lib/z.ts");
    for (const [key, wanted] of [
      ["o", "false"],
      ["o", "true"],
      ["Enter", "false"],
      ["Enter", "true"],
    ] as const) {
      await press(page, key);
      await expect.poll(state).toBe(wanted);
    }
  },
  v: async (page) => {
    const box = page.locator('[data-file="lib/z.ts"]').getByLabel("Viewed");
    for (const wanted of [true, false]) {
      await press(page, "v");
      await expect.poll(() => box.isChecked()).toBe(wanted);
    }
  },
  "n / p": async (page) => {
    await press(page, "n");
    await expect.poll(() => focusedText(page)).toContain("Name the value.");
    await press(page, "p");
    await expect.poll(() => focusedText(page)).toContain("Name the value.");
  },
  c: async (page) => {
    await outline(page, "src/a.ts").click();
    await expect.poll(() => focusedFile(page)).toBe("src/a.ts");
    await press(page, "c");
    await expect.poll(() => focused(page, "active.closest('[data-editor]') !== null")).toBe("true");
    expect(await page.locator("[data-editor] textarea").inputValue()).toBe("");
    await press(page, "Escape");
  },
  b: async (page) => {
    await page.getByRole("button", { name: "src/a.ts:3" }).click();
    await expect.poll(() => focused(page, "active.matches('.diff [data-note]')")).toBe("true");
    await press(page, "b");
    await expect.poll(() => focusedText(page)).toBe("src/a.ts:3");
  },
  d: async (page) => {
    await press(page, "d");
    await expect.poll(() => focusedText(page)).toBe("Continue");
  },
  "Ctrl+Enter": async (page) => {
    await openEditor(page, "lib/z.ts", 1);
    await page.keyboard.type("A name.");
    await press(page, "Control+Enter");
    await page.locator(".note-draft").waitFor();
    await press(page, "d");
    await expect.poll(() => focusedText(page)).toContain("Redo"); // it sends the comment
    await page.locator(".note-draft").getByRole("button", { name: "Delete" }).click();
  },
  "?": async (page) => {
    await press(page, "?");
    await page.getByRole("dialog").waitFor();
    await press(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  },
};

async function goesTo(page: Page, key: string, title: string): Promise<void> {
  await press(page, "g", key);
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await page.goBack();
  await page.locator('[data-file="src/a.ts"]').waitFor();
}
