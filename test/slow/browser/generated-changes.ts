import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll } from "vitest";
import { createGitWorkspace } from "../../../src/adapters/git/git-workspace.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export type Entry = { readonly bytes: Buffer; readonly mode: 0o644 | 0o755 } | { readonly target: string };
export type Change = readonly { readonly before: Entry | null; readonly after: Entry | null }[];

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
/** Neither text nor empty, with bytes that are no characters. */
const binary = fc
  .uint8Array({ minLength: 20, maxLength: 60, max: 8 })
  .map((content) => Buffer.concat([Buffer.from([0, 1, 2, 3]), content]));
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ bytes: binary, mode: fc.constant(0o644 as const) }) },
  { weight: 6, arbitrary: fc.record({ bytes, mode: fc.constantFrom(0o644 as const, 0o755 as const) }) },
  { weight: 1, arbitrary: fc.record({ target: fc.constantFrom("a", "../b", "/etc/hostname") }) },
);
export const generatedChange: fc.Arbitrary<Change> = fc.array(
  fc.record({ before: fc.option(entry), after: fc.option(entry, { freq: 8 }) }),
  { minLength: 4, maxLength: 8 },
);

export const filePath = (index: number): string => (index % 2 === 0 ? `src/file-${index}.ts` : `docs/file-${index}.md`);

/** Patch of a change: its bytes as git writes them, and the text that isdlc shows. */
type Patch = { readonly bytes: Buffer; readonly shown: string };

export async function gitPatch(files: Change): Promise<Patch> {
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
  const workspace = createGitWorkspace(root, { run: "generated", env: process.env });
  const bytes = git("diff-tree", "-r", "-p", "--text", "-M", before, after);
  return { bytes, shown: await workspace.patch(before, after) };
}

function put(path: string, made: Entry | null): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (made === null) return;
  if ("target" in made) return symlinkSync(made.target, path);
  writeFileSync(path, made.bytes);
  chmodSync(path, made.mode);
}

/** Lines of each file's hunks as bytes, with their sign, and `\` after lines without a newline. */
export function patchLines(patch: Buffer): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let [lines, isInside]: [string[], boolean] = [[], false];
  for (const text of patch.toString("latin1").split("\n")) {
    const path = /^diff --git a\/\S+ b\/(\S+)$/.exec(text)?.[1];
    if (path !== undefined) {
      isInside = false;
      lines = found.get(path) ?? [];
      found.set(path, lines);
    } else if (text.startsWith("@@ ")) isInside = true;
    else if (isInside && text.startsWith("\\")) lines.push(`${lines.pop() ?? ""}\\`);
    else if (isInside && /^[-+ ]/.test(text)) lines.push(text);
  }
  return found;
}
