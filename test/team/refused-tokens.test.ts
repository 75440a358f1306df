import { beforeEach, describe, expect, test } from "vitest";
import { createRefusedTokens, FORGOTTEN_AFTER, type RefusedTokens } from "../../team/src/people/refused-tokens.ts";

const MAX_REFUSED = 20;
const ADDRESS = "192.0.2.1";

let time: number; // Milliseconds.
let tokens: RefusedTokens;
beforeEach(() => {
  time = 1_000_000;
  tokens = createRefusedTokens(() => time);
});

const refuse = (times: number, address = ADDRESS): void => {
  for (let n = 0; n < times; n++) tokens.noteRefused(address);
};

describe("address that sends unknown tokens", () => {
  test("may try up to the limit", () => {
    refuse(MAX_REFUSED - 1);
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(true);
    refuse(1);
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(false);
  });

  test("may try again after the waiting time since its first refusal", () => {
    refuse(1);
    time += 1000;
    refuse(MAX_REFUSED - 1);
    time += FORGOTTEN_AFTER * 1000 - 1001;
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(false);
    time += 1;
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(true);
  });

  test("does not block other addresses and known tokens", () => {
    tokens.noteGood("good");
    refuse(MAX_REFUSED);
    expect(tokens.mayTry("192.0.2.2", "guess")).toBe(true);
    expect(tokens.mayTry(ADDRESS, "good")).toBe(true);
  });

  test("stays blocked while 9,999 other addresses are refused", () => {
    refuse(MAX_REFUSED);
    for (let n = 1; n < 10_000; n++) refuse(1, `address ${n}`);
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(false);
    refuse(1, "one more"); // The oldest one is dropped to limit memory.
    expect(tokens.mayTry(ADDRESS, "guess")).toBe(true);
  });
});
