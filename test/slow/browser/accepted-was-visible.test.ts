import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";
import type { DiffFile, DiffView } from "../../../src/schema/api-diff.ts";
import { diffFiles, type DiffLimits } from "../../../src/views/page/diff-files.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { decodeBytes, type DrawnRow, drawnRows, NOT_SEEN } from "./drawn-rows.ts";
import { type Change, type Entry, filePath, generatedChange, gitPatch, patchLines } from "./generated-changes.ts";
import { largeChange } from "./large-change.ts";
import { open, serve } from "./page-browser.ts";
import { shopAtGate } from "./shop.ts";

/** Rows of one file: its head, its lines, and the messages about what is not shown. */
type DrawnFile = {
  readonly path: string;
  readonly head: string;
  readonly lines: string[];
  readonly messages: string[];
};

function byFile(rows: readonly DrawnRow[]): DrawnFile[] {
  const files: DrawnFile[] = [];
  for (const row of rows) {
    const file = files.at(-1);
    if (row.kind === "file") files.push({ path: row.path, head: row.text, lines: [], messages: [] });
    else if (row.kind === "other") file?.messages.push(row.text);
    else file?.lines.push(decodeBytes(row, file.head.includes("All lines end in CRLF")));
  }
  return files;
}

const sizeOf = (file: Entry): number => ("target" in file ? file.target.length : file.bytes.length);
const STATED =
  /(?:content, (?:deleted, )?(\d+) bytes(?:, before (\d+) bytes)?|Truncated: (\d+) of \d+ bytes of the diff are not shown)\..*Save the whole file/;

/** Bytes stated as missing in place, next to a link that saves all of them. */
const statedSizes = ({ messages }: DrawnFile): readonly number[] =>
  (STATED.exec(messages.join(" ")) ?? []).slice(1).map(Number).filter(Number.isFinite);

type Visible = { readonly file: DiffFile; readonly drawn: DrawnFile; readonly lines: readonly string[] };

/** Every line is drawn, or the number of missing bytes is stated. Returns what was reached. */
function expectVisible({ file, drawn, lines }: Visible, { before, after }: Change[number]): string {
  if (file.isBinary) {
    const sizes = [after, before].flatMap((one) => (one === null ? [] : [sizeOf(one)]));
    expect([file.path, statedSizes(drawn)]).toEqual([file.path, sizes]);
    return sizes.length === 2 ? "binary, changed" : "binary";
  }
  expect(drawn.lines).toEqual(lines.slice(0, drawn.lines.length));
  if (!file.isCut) {
    expect(drawn.lines).toEqual(lines);
    return "whole";
  }
  const missing = lines.slice(drawn.lines.length).reduce((sum, one) => sum + lineBytes(one), 0);
  const [stated = 0] = statedSizes(drawn);
  expect(stated, `bytes missing in ${file.path}, with headers of hunks`).toBeGreaterThanOrEqual(missing);
  expect(stated).toBeLessThanOrEqual(missing + MAX_HUNKS * HUNK_HEADER_BYTES);
  return drawn.lines.length > 0 ? "cut inside" : "cut before its first line";
}

/** A generated file has few lines: one hunk, or two if a link was replaced. */
const MAX_HUNKS = 2;
const HUNK_HEADER_BYTES = "@@ -10,10 +10,10 @@\n".length;
const NOTE = "\\ No newline at end of file\n";
const lineBytes = (line: string): number => (line.endsWith("\\") ? line.length - 1 + 1 + NOTE.length : line.length + 1);

/** The second makes the page cut most files, as it does with millions of characters. */
const LIMITS: readonly DiffLimits[] = [
  { fileChars: 1_500_000, diffChars: 12_000_000 },
  { fileChars: 200, diffChars: 900 },
];

test("draws every byte of generated changes, or states in place how many are missing", async () => {
  const { link } = await serve(await shopAtGate());
  const { page, troubles } = await open(link);
  let view: DiffView = { against: "base", ...diffFiles("", sha256), isCut: false, notShown: "" };
  await page.route("**/diff?*", (route) => route.fulfill({ json: view }));
  await page.locator("[data-row]").first().click();
  await page.locator("[data-decision]").waitFor();
  const reached = new Set<string>();
  for (const [index, files] of fc.sample(generatedChange, { numRuns: 16, seed: 27 }).entries()) {
    const { bytes, shown } = await gitPatch(files);
    const listed = diffFiles(shown, sha256, { limits: LIMITS[index % LIMITS.length] });
    view = visibleView({ against: "base", ...listed, isCut: false, notShown: "" });
    await page.reload();
    await page.locator("[data-decision]").waitFor();
    if (view.files.length === 0) continue;
    await page.locator(".diff-item").first().waitFor();
    const rows = await drawnRows(page);
    for (const { text } of rows) expect(text).not.toMatch(NOT_SEEN);
    const drawn = byFile(rows);
    expect(drawn.map(({ path }) => path)).toEqual(view.files.map(({ path }) => path));
    const lines = patchLines(bytes);
    for (const [at, file] of view.files.entries()) {
      const made = files.find((_one, number) => filePath(number) === file.path);
      const [one] = drawn.slice(at);
      if (made === undefined || one === undefined) throw new Error(`${file.path} was not generated`);
      reached.add(expectVisible({ file, drawn: one, lines: lines.get(file.path) ?? [] }, made));
      const facts = file.change === "renamed" ? [] : wantedFacts(made.before, made.after);
      for (const fact of facts) expect(one.head).toContain(fact);
      for (const fact of facts) reached.add(fact);
    }
  }
  expect([...reached].toSorted()).toEqual([
    "Executable",
    "Symbolic link",
    "binary",
    "binary, changed",
    "cut before its first line",
    "cut inside",
    "no longer executable",
    "now executable",
    "to a file",
    "to a symbolic link",
    "whole",
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
