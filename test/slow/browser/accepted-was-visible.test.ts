import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { patchText } from "../../../src/adapters/git/snapshot/patch-text.ts";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";
import type { DiffView } from "../../../src/schema/api-diff.ts";
import { diffFiles } from "../../../src/views/page/diff-files.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { largeChange } from "./large-change.ts";
import { open, serve } from "./page-browser.ts";
import { shopAtGate } from "./shop.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Entry = { readonly bytes: Buffer; readonly mode: 0o644 | 0o755 } | { readonly target: string };
type Change = readonly { readonly before: Entry | null; readonly after: Entry | null }[];

const WORDS = [
  "alpha",
  "beta ",
  "  ",
  "\t",
  "é",
  "e\u0301",
  "а",
  "\u00a0",
  "\u200b",
  "\u202e",
  "\u2066",
  "\ufeff",
  "\u0007",
  "\u001b[31m",
];
const MARKUP = [
  "&amp;",
  "<div hidden>",
  "<!-- x -->",
  "- [x] ",
  "**b**",
  "[a](b)",
  "<U+00A0>",
  "<0xE9>",
  "␍",
  "⊘",
  "x".repeat(700),
];
const line = fc.array(fc.constantFrom(...WORDS, ...MARKUP), { maxLength: 6 }).map((parts) => parts.join(""));
const encoded = fc
  .constantFrom("utf8", "latin1", "utf8")
  .chain((encoding) => line.map((text) => Buffer.from(text, encoding)));
const ending = fc.constantFrom("\n", "\r\n", "\n", "\r");
const bytes = fc.tuple(fc.array(fc.tuple(encoded, ending), { maxLength: 8 }), fc.boolean()).map(([lines, isEnded]) => {
  const all = Buffer.concat(lines.flatMap(([text, end]) => [text, Buffer.from(end)]));
  return isEnded ? all : all.subarray(0, Math.max(0, all.length - 1));
});
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ bytes, mode: fc.constantFrom(0o644 as const, 0o755 as const) }) },
  { weight: 1, arbitrary: fc.record({ target: fc.constantFrom("a", "../b", "/etc/hostname") }) },
);
const change: fc.Arbitrary<Change> = fc.array(
  fc.record({ before: fc.option(entry), after: fc.option(entry, { freq: 8 }) }),
  { minLength: 4, maxLength: 8 },
);

const filePath = (index: number): string => (index % 2 === 0 ? `src/file-${index}.ts` : `docs/file-${index}.md`);

/** Patch of a change as git writes it, without rename detection. */
function gitPatch(files: Change): Buffer {
  const root = mkdtempSync(join(tmpdir(), "isdlc-accepted-"));
  folders.push(root);
  const git = (...args: string[]): Buffer => execFileSync("git", ["-c", "core.autocrlf=false", ...args], { cwd: root });
  git("init", "-q");
  const tree = (side: "before" | "after"): string => {
    for (const [index, file] of files.entries()) put(join(root, filePath(index)), file[side]);
    git("add", "-A");
    return git("write-tree").toString("utf8").trim();
  };
  const [before, after] = [tree("before"), tree("after")];
  return git("diff-tree", "-r", "-p", "--text", "--no-renames", before, after);
}

function put(path: string, made: Entry | null): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (made === null) return;
  if ("target" in made) return symlinkSync(made.target, path);
  writeFileSync(path, made.bytes);
  chmodSync(path, made.mode);
}

/** Added and removed lines of a patch as bytes, with their sign, and `\` after lines without a newline. */
function changedLines(patch: Buffer): string[] {
  const lines = patch.toString("latin1").split("\n");
  const found: string[] = [];
  let isInside = false;
  for (const text of lines) {
    if (text.startsWith("diff --git ")) isInside = false;
    else if (text.startsWith("@@ ")) isInside = true;
    else if (isInside && text.startsWith("\\")) found.push(`${found.pop() ?? ""}\\`);
    else if (isInside && /^[-+ ]/.test(text)) found.push(text);
  }
  return found.filter((text) => !text.startsWith(" ")).toSorted();
}

type DrawnRow = { readonly path: string; readonly kind: string; readonly text: string };

/** Scrolls through the page and collects the rows of the diff, without other actions. */
async function drawnRows(page: Page): Promise<readonly DrawnRow[]> {
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
const NOT_SEEN = /[^\P{C}\n\t]|\u00a0|\u0301|а/u;
const NO_NEWLINE = " ⊘ no newline at the end of the file";

/** Decodes the bytes of a drawn line from its visible marks. */
function decodeBytes({ kind, text }: DrawnRow, hasReturns: boolean): string {
  const isEnd = text.endsWith(NO_NEWLINE);
  const own = (isEnd ? text.slice(0, -NO_NEWLINE.length) : text).replace(/^\n$/, "");
  const parts = own.split(/(<0x[0-9A-F]{2}>|<U\+[0-9A-F]{4,6}>|[\u2400-\u2421])/);
  const read = parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : markedBytes(part)));
  const returns = hasReturns ? "\r" : "";
  return `${kind === "added" ? "+" : "-"}${Buffer.concat(read).toString("latin1")}${returns}${isEnd ? "\\" : ""}`;
}

function markedBytes(mark: string): Buffer {
  if (mark.startsWith("<0x")) return Buffer.from([Number.parseInt(mark.slice(3, -1), 16)]);
  if (mark.startsWith("<U+")) return Buffer.from(String.fromCodePoint(Number.parseInt(mark.slice(3, -1), 16)));
  const code = (mark.codePointAt(0) ?? 0) - 0x2400;
  return Buffer.from([code === 0x21 ? 0x7f : code]);
}

test("draws every added and removed byte of generated changes", async () => {
  const { link } = await serve(await shopAtGate());
  const { page, troubles } = await open(link);
  let view: DiffView = { against: "base", ...diffFiles("", sha256), isCut: false, notShown: "" };
  await page.route("**/diff?*", (route) => route.fulfill({ json: view }));
  await page.locator("[data-row]").first().click();
  await page.locator("[data-decision]").waitFor();
  const reached = new Set<string>();
  for (const files of fc.sample(change, { numRuns: 15, seed: 27 })) {
    const patch = gitPatch(files);
    view = visibleView({ against: "base", ...diffFiles(patchText(patch), sha256), isCut: false, notShown: "" });
    await page.reload();
    await page.locator("[data-decision]").waitFor();
    if (view.files.length === 0) continue;
    await page.locator(".diff-item").first().waitFor();
    const rows = await drawnRows(page);
    let hasReturns = false;
    const read = rows.flatMap((row) => {
      if (row.kind === "file") hasReturns = row.text.includes("All lines end in CRLF");
      return row.kind === "added" || row.kind === "removed" ? [decodeBytes(row, hasReturns)] : [];
    });
    expect(read.toSorted()).toEqual(changedLines(patch));
    for (const { text } of rows) expect(text).not.toMatch(NOT_SEEN);
    const heads = rows.filter(({ kind }) => kind === "file");
    expect(heads.map(({ path }) => path)).toEqual(view.files.map(({ path }) => path));
    for (const [index, { before, after }] of files.entries()) {
      const head = heads.find(({ path }) => path === filePath(index))?.text ?? "";
      for (const fact of wantedFacts(before, after)) expect(head).toContain(fact);
      for (const fact of wantedFacts(before, after)) reached.add(fact);
    }
  }
  expect([...reached].toSorted()).toEqual([
    "Executable",
    "Symbolic link",
    "no longer executable",
    "now executable",
    "to a file",
    "to a symbolic link",
  ]);
  expect(troubles).toEqual([]);
});

function wantedFacts(before: Entry | null, after: Entry | null): readonly string[] {
  if (after === null) return [];
  if ("target" in after) {
    if (before === null || ("target" in before && before.target !== after.target)) return ["Symbolic link"];
    return "target" in before ? [] : ["to a symbolic link"];
  }
  if (before === null) return after.mode === 0o755 ? ["Executable"] : [];
  if ("target" in before) return ["to a file"];
  if (before.mode === after.mode) return [];
  return [after.mode === 0o755 ? "now executable" : "no longer executable"];
}

test("accepts a change of 41 files by keyboard, using only the accessibility tree", async () => {
  const sandbox = await largeChange();
  expect(await sandbox.person("continue")).toMatchObject({ code: 3 });
  const { link } = await serve(sandbox);
  const { page, troubles } = await open(link);
  const heard = (): Promise<string> => page.locator("body").ariaSnapshot();
  await expect.poll(heard).toContain("Add many parts");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect.poll(heard).toContain("41 of 41 files not viewed");
  const files = [...(await heard()).matchAll(/button "([^"]+)"/g)].map(([, name]) => name);
  expect(files.length).toBeGreaterThan(41);
  for (let left = 40; left >= 0; left--) {
    const before = await page.evaluate("document.activeElement?.closest('[data-file]')?.dataset.file");
    await page.keyboard.press("j");
    await expect
      .poll(() => page.evaluate("document.activeElement?.closest('[data-file]')?.dataset.file"))
      .not.toBe(before);
    await expect.poll(() => page.evaluate("document.activeElement?.getAttribute('aria-expanded')")).not.toBeNull();
    await page.keyboard.press("v");
    await expect
      .poll(heard)
      .toContain(left === 0 ? "Comments stay with you until you decide" : `${left} of 41 files not viewed`);
  }
  await page.keyboard.press("d");
  await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Continue");
  await page.keyboard.press("Enter");
  const answered = async (): Promise<number> =>
    (await sandbox.events()).filter(({ type }) => type === "gate.answered").length;
  await expect.poll(answered, { timeout: 60_000 }).toBe(2);
  await expect.poll(heard, { timeout: 60_000 }).toContain("Final Review");
  expect(troubles).toEqual([]);
});
