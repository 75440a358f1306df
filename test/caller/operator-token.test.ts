import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToken, tokenCreatedAt, verifyToken } from "../../src/adapters/identity/operator-token.ts";

const NOW = "2026-11-15T10:00:00.000Z";
let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "token-"))));
afterEach(() => rmSync(folder, { recursive: true }));

describe("approval token", () => {
  test("is accepted with its creation time", () => {
    const token = createToken(folder, NOW);
    expect(token).toMatch(/^isdlc_[A-Za-z0-9_-]{43}$/);
    expect(verifyToken(folder, token)).toEqual({ ok: true, createdAt: NOW });
    expect(tokenCreatedAt(folder)).toBe(NOW);
  });

  test("is stored only as a digest, readable only by its user [S11]", () => {
    const token = createToken(join(folder, "isdlc"), NOW);
    const [name, ...others] = readdirSync(join(folder, "isdlc"));
    const file = join(folder, "isdlc", name!);
    expect([name, ...others]).toEqual(["operator-token.json"]);
    expect(readFileSync(file, "utf8")).not.toContain(token.slice("isdlc_".length));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "isdlc")).mode & 0o777).toBe(0o700);
  });

  test("replaces the previous one", () => {
    const [old, current] = [createToken(folder, NOW), createToken(folder, NOW)];
    expect(old).not.toBe(current);
    expect(verifyToken(folder, old).ok).toBe(false);
    expect(verifyToken(folder, current).ok).toBe(true);
  });

  test.each(["", "isdlc_", "isdlc_wrong", "x".repeat(1_000_000)])("is rejected if wrong", (wrong) => {
    const token = createToken(folder, NOW);
    expect(verifyToken(folder, wrong).ok).toBe(false);
    expect(verifyToken(folder, `${token} `).ok).toBe(false);
  });

  test.each([
    ["no content", null],
    ["invalid JSON", "{"],
    ["no digest", `{"created_at":"${NOW}"}`],
    ["an empty digest", `{"sha256":"","created_at":"${NOW}"}`],
    ["no time", `{"sha256":"${"0".repeat(64)}"}`],
    ["far too much", " ".repeat(100_000)],
  ])("is rejected for a file with %s", (_, text) => {
    if (text !== null) writeFileSync(join(folder, "operator-token.json"), text);
    expect(verifyToken(folder, "").ok).toBe(false);
    expect(tokenCreatedAt(folder)).toBeNull();
  });

  test("is rejected if its file is a link", () => {
    const token = createToken(join(folder, "other"), NOW);
    symlinkSync(join(folder, "other/operator-token.json"), join(folder, "operator-token.json"));
    expect(verifyToken(folder, token).ok).toBe(false);
  });
});
