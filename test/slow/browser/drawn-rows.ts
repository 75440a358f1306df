import type { Page } from "playwright-core";

export type DrawnRow = { readonly path: string; readonly kind: string; readonly text: string };

/** Scrolls through the page and collects the rows of the diff, without other actions. */
export async function drawnRows(page: Page): Promise<readonly DrawnRow[]> {
  const rows = await page.evaluate<readonly DrawnRow[]>(`(async () => {
    const found = new Map();
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const collect = () => {
      for (const item of document.querySelectorAll(".diff-item")) {
        const line = item.querySelector(":scope > .diff-line");
        const head = item.querySelector("[data-file]");
        const kind = line === null ? (head === null ? "other" : "file") : [...line.classList].find((name) => name !== "diff-line");
        const text = line === null ? item.textContent : line.querySelector(".code").textContent;
        found.set(Number(item.dataset.index), { path: head?.dataset.file ?? "", kind, text });
      }
    };
    window.scrollTo(0, 0);
    await frame();
    for (let top = 0; top < document.documentElement.scrollHeight; top += 500) {
      window.scrollTo(0, top);
      await frame();
      collect();
    }
    return [...found].sort(([a], [b]) => a - b).map(([, row]) => row);
  })()`);
  return rows;
}

/** Generated characters that are invisible or look like another character. */
export const NOT_SEEN = /[^\P{C}\n\t]|\u00a0|\u0301|а/u;
const NO_NEWLINE = " ⊘ no newline at the end of the file";

const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "-", context: " " };

/** Decodes the bytes of a drawn line from its visible marks. */
export function decodeBytes({ kind, text }: DrawnRow, hasReturns: boolean): string {
  const isEnd = text.endsWith(NO_NEWLINE);
  const own = (isEnd ? text.slice(0, -NO_NEWLINE.length) : text).replace(/^\n$/, "");
  const parts = own.split(/(<0x[0-9A-F]{2}>|<U\+[0-9A-F]{4,6}>|[\u2400-\u2421])/);
  const read = parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : markedBytes(part)));
  const returns = hasReturns ? "\r" : "";
  return `${SIGNS[kind] ?? "?"}${Buffer.concat(read).toString("latin1")}${returns}${isEnd ? "\\" : ""}`;
}

function markedBytes(mark: string): Buffer {
  if (mark.startsWith("<0x")) return Buffer.from([Number.parseInt(mark.slice(3, -1), 16)]);
  if (mark.startsWith("<U+")) return Buffer.from(String.fromCodePoint(Number.parseInt(mark.slice(3, -1), 16)));
  const code = (mark.codePointAt(0) ?? 0) - 0x2400;
  return Buffer.from([code === 0x21 ? 0x7f : code]);
}
