import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sealWith } from "../../src/adapters/files/user-key.ts";

describe("mark of a record", () => {
  const texts = ["", "a", "f".repeat(64), `taken over ${"0".repeat(64)}`, "öffnen 🗝", "x".repeat(1000)];

  it.each(texts)("is the start of the HMAC-SHA256 of %j", (text) => {
    const key = randomBytes(32);
    const expected = createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
    const seal = sealWith(key);
    expect([seal.mark(text), seal.fits(text, expected, "")]).toStrictEqual([expected, true]);
  });

  it("is invalid for another key, another hash or a part of it", () => {
    const seal = sealWith(randomBytes(32));
    const mark = seal.mark("hash");
    const other = sealWith(randomBytes(32));
    expect([
      other.fits("hash", mark, ""),
      seal.fits("Hash", mark, ""),
      seal.fits("hash", mark.slice(1), ""),
    ]).toStrictEqual([false, false, false]);
  });
});
