import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { patchText } from "../../src/adapters/git/snapshot/patch-text.ts";
import { diffFiles } from "../../src/views/page/diff-files.ts";
import { visibleView } from "../../src/views/page/visible-view.ts";
import { plainText } from "../../src/views/plain-text.ts";
import { changesText } from "../../src/views/changes-text.ts";
import { visibleChange, visibleReturns } from "../../src/views/visible-change.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Put = (root: string) => void;
const file =
  (contents: string | Buffer, mode = 0o644): Put =>
  (root) => {
    writeFileSync(join(root, "a.ts"), contents);
    chmodSync(join(root, "a.ts"), mode);
  };
const link =
  (target: string): Put =>
  (root) =>
    symlinkSync(target, join(root, "a.ts"));
const commit =
  (digit: string): Put =>
  (root) =>
    void git(root, ["update-index", "--add", "--cacheinfo", `160000,${digit.repeat(40)},a.ts`]);

const git = (root: string, args: readonly string[]): Buffer =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd: root });

function patchOf(before: Put, after: Put): string {
  const root = mkdtempSync(join(tmpdir(), "isdlc-visible-"));
  folders.push(root);
  git(root, ["init", "-q"]);
  const trees = [before, after].map((put) => {
    rmSync(join(root, "a.ts"), { force: true });
    git(root, ["read-tree", "--empty"]);
    put(root);
    if (git(root, ["ls-files"]).length === 0) git(root, ["add", "-A"]);
    return git(root, ["write-tree"]).toString("utf8").trim();
  });
  return patchText(git(root, ["diff-tree", "-r", "-p", "-M", ...trees]));
}

type Row = readonly [
  what: string,
  { readonly before: Put; readonly after: Put },
  { readonly terminal: readonly string[]; readonly web: readonly string[] },
];

const ROWS: readonly (readonly [string, Put, Put, readonly string[], readonly string[]])[] = [
  ["an executable bit", file("a\n"), file("a\n", 0o755), ["new mode 100755"], ["Mode 100644 → 100755, now executable"]],
  [
    "a mode together with an edit",
    file("a\n", 0o755),
    file("b\n"),
    ["new mode 100644", "+b"],
    ["Mode 100755 → 100644, no longer executable", "+b"],
  ],
  [
    "a file replaced by a link",
    file("a\n"),
    link("/etc/passwd"),
    ["new file mode 120000", "+/etc/passwd"],
    ["Changed from a file to a symbolic link", "-a", "+/etc/passwd"],
  ],
  ["the target of a link", link("b"), link("c"), ["index", "+c"], ["Symbolic link", "-b", "+c"]],
  ["a submodule", commit("1"), commit("2"), ["+Subproject commit 222"], ["Submodule", "+Subproject commit 222"]],
  ["CRLF to LF", file("a\r\nb\r\n"), file("a\nb\n"), ["-a␍\n", "+a\n"], ["-a␍\n", "+a\n"]],
  ["CRLF in all lines", file("a\r\n"), file("b\r\n"), ["+b␍"], ["All lines end in CRLF", "+b\n"]],
  ["a missing newline", file("a\n"), file("a"), ["\\ No newline"], ["\\ No newline"]],
  ["an empty file", () => undefined, file(""), ["new file mode"], ["Empty file"]],
  ["a no-break space", file("a b\n"), file("a\u00a0b\n"), ["+a<U+00A0>b"], ["+a<U+00A0>b"]],
  ["a zero-width space", file("ab\n"), file("a\u200bb\n"), ["+a<U+200B>b"], ["+a<U+200B>b"]],
  ["a letter of another script", file("scope\n"), file("sсope\n"), ["+s<U+0441>ope"], ["+s<U+0441>ope"]],
  [
    "a word of another script",
    file("cop\n"),
    file("сор\n"),
    ["+<U+0441><U+043E><U+0440>"],
    ["+<U+0441><U+043E><U+0440>"],
  ],
  ["a decomposed letter", file("é\n"), file("e\u0301\n"), ["+e<U+0301>"], ["+e<U+0301>"]],
  ["a full-width sign", file("a;\n"), file("a；\n"), ["+a<U+FF1B>"], ["+a<U+FF1B>"]],
  [
    "letters of an older encoding",
    file(Buffer.from("caf\xe9\n", "latin1")),
    file(Buffer.from("caf\xe8\n", "latin1")),
    ["-caf<0xE9>", "+caf<0xE8>"],
    ["-caf<0xE9>", "+caf<0xE8>"],
  ],
  [
    "text that looks like a mark",
    file("a\n"),
    file("<U+00A0> <0xE9> ␍\n"),
    ["+<U+003C>U+00A0> <0x3C>0xE9> <U+240D>"],
    ["+<U+003C>U+00A0>"],
  ],
];

test.each(ROWS.map(([what, before, after, terminal, web]): Row => [what, { before, after }, { terminal, web }]))(
  "shows %s in the terminal and in the web UI",
  (_what, { before, after }, { terminal, web }) => {
    const patch = patchOf(before, after);
    const shown = `${changesText({ base: "since the run started", parts: [{ title: null, patch }] })}\n`;
    for (const part of terminal) expect(shown).toContain(part);
    const files = visibleView(diffFiles(patch, (text) => String(text.length)).files);
    expect(files).toHaveLength(1);
    const [one] = files;
    const seen = [...(one?.facts ?? []), one?.patch].join("\n");
    for (const part of web) expect(seen).toContain(part);
  },
);

test("keeps Russian, Greek and accented text unchanged", () => {
  for (const text of ["Сегодня он спросил", "Η ώρα είναι τρεις", "Größe naïve café — “quoted”", "日本語", "שלום"])
    expect(visibleChange(text)).toBe(text);
});

const ODD = [
  "a",
  "e",
  "o",
  "é",
  "e\u0301",
  "а",
  "е",
  "о",
  " ",
  "\u00a0",
  "\u2009",
  "\u200b",
  "\u200d",
  "\t",
  "\r",
  "-",
  "\u2010",
  ";",
  "\u037e",
];
const MARKS = ["<", "U+00A0>", "<U+00A0>", "<U+003C>", "␍", "\ufffd", "<0xE9>"];

/** Text as a reader sees it who cannot distinguish these characters. */
const drawn = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/[аео]/g, (letter) => ({ а: "a", е: "e", о: "o" })[letter] ?? letter)
    .replaceAll(/\u200b|\u200d|\r/g, "")
    .replaceAll("\u2010", "-")
    .replaceAll("\u037e", ";");

test("displays any two different texts differently", () => {
  const text = fc.array(fc.constantFrom(...ODD, ...MARKS), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [a, b] = [one, other].map((each) => drawn(plainText(visibleReturns(visibleChange(each)))));
      expect(a === b).toBe(one === other);
    }),
    { numRuns: 3000 },
  );
});
