import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const base = mkdtempSync(join(tmpdir(), "isdlc-compiled-"));
afterAll(() => removeTemporary(base));

const bin = join(base, "package/dist/bin");
const folder = join(base, "package/dist/compiled");
/** Path of the cache of the first command; its name includes V8's version and flags. */
const kept = (): string => join(folder, readdirSync(folder).find((name) => /^verbs\.cjs-.*\d$/.test(name)) ?? "none");
const source = join(bin, "verbs.cjs");
const HEAD = 68; // Characters: a digest, then "some" or "most".

beforeEach(async () => {
  rmSync(join(base, "package"), { recursive: true, force: true });
  const original = dirname(dirname(dirname(await builtProgram())));
  for (const part of ["dist/bin", "package.json"])
    cpSync(join(original, part), join(base, "package", part), { recursive: true });
});

/** Output of a command that needs the large bundle. */
function help(): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(bin, "isdlc.cjs"), "help"], {
    cwd: base,
    env: { PATH: process.env["PATH"], HOME: base, NO_COLOR: "1" },
    encoding: "utf8",
  });
  expect([stderr, status]).toEqual(["", 0]);
  return stdout;
}

const keptFor = (compiled: Buffer): string =>
  createHash("sha256").update(readFileSync(source)).update(compiled).digest("hex");

const writtenAt = (): number => statSync(kept()).mtimeMs;

/** Replaces a word of the help text by another one of the same length. */
function replaceInSource(word: string, other: string): void {
  const text = readFileSync(source, "utf8");
  expect(text).toContain(word);
  writeFileSync(source, text.replaceAll(word, other));
}

test("caches compiled code in the first command and reuses it unchanged", () => {
  const first = help();
  const content = readFileSync(kept());
  expect(content.toString("latin1", 0, HEAD)).toBe(`${keptFor(content.subarray(HEAD))}some`);
  const written = writtenAt();
  expect(help()).toBe(first);
  expect(writtenAt()).toBe(written);
});

test("replaces the cache once after a command that ran long", () => {
  help();
  const short = readFileSync(kept());
  spawnSync(process.execPath, ["--require", laterClock(), join(bin, "isdlc.cjs"), "doctor"], {
    cwd: base,
    env: { PATH: process.env["PATH"], HOME: base },
  });
  const long = readFileSync(kept());
  expect(long.toString("latin1", 64, HEAD)).toBe("most");
  expect(long.length).toBeGreaterThan(short.length);
  const written = writtenAt();
  help();
  expect(writtenAt()).toBe(written);
});

/** A module that makes a program believe it has run for a minute. */
function laterClock(): string {
  const file = join(base, "later-clock.cjs");
  writeFileSync(file, "const { now } = performance; performance.now = () => now.call(performance) + 60_000;");
  return file;
}

test("runs the cached code", () => {
  const original = readFileSync(source);
  replaceInSource("gate", "GATE");
  expect(help()).toContain("GATE");
  const compiled = readFileSync(kept()).subarray(HEAD);
  writeFileSync(source, original);
  writeFileSync(kept(), Buffer.concat([Buffer.from(`${keptFor(compiled)}some`), compiled]));
  expect(help()).toContain("GATE");
});

test("replaces compiled code of another version", () => {
  help();
  const before = readFileSync(kept());
  replaceInSource("gate", "GATE");
  expect(help()).toContain("GATE");
  expect(readFileSync(kept()).equals(before)).toBe(false);
});

test.each([
  ["truncated", (content: Buffer) => content.subarray(0, content.length / 2)],
  ["empty", () => Buffer.alloc(0)],
  ["changed in one bit", (content: Buffer) => Buffer.from(content.map((byte, at) => (at === 5000 ? byte ^ 1 : byte)))],
  ["made by another Node version", () => Buffer.from(`${keptFor(Buffer.from("other"))}someother`)],
])("replaces a cache that is %s", (_how, damage) => {
  const first = help();
  const whole = readFileSync(kept());
  writeFileSync(kept(), damage(whole));
  expect(help()).toBe(first);
  expect(readFileSync(kept()).length).toBeGreaterThan(whole.length / 2);
  const written = writtenAt();
  help();
  expect(writtenAt()).toBe(written);
});

test("runs commands if the cache cannot be written", () => {
  const first = help();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "no folder");
  expect(help()).toBe(first);
});

test("removes an unfinished file of a killed program", () => {
  const first = help();
  const file = kept();
  renameSync(file, `${file}.tmp`);
  expect(help()).toBe(first);
  expect(readdirSync(folder)).toEqual([basename(file)]);
});
