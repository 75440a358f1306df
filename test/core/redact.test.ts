import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createRedactor, MAX_TEXT_LENGTH, REDACTED, listSecrets } from "../../src/core/redact.ts";
import { cpuFor } from "../support/cpu-time.ts";

const letters = (count: number): string => randomBytes(count).toString("hex").slice(0, count);
const upper = (count: number): string => letters(count).toUpperCase();
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Kind, text and secret. Redaction must remove the secret, found by its format alone. */
const planted: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ...[
    ["OpenAI", `sk-proj-${letters(40)}`],
    ["Anthropic", `sk-ant-api03-${letters(40)}_x-${letters(8)}`],
    ["GitHub classic", `ghp_${letters(36)}`],
    ["GitHub OAuth", `gho_${letters(36)}`],
    ["GitHub fine grained", `github_pat_${letters(22)}_${letters(59)}`],
    ["GitLab", `glpat-${letters(20)}`],
    ["Tavily", `tvly-dev-${letters(20)}`],
    ["Amazon", `AKIA${upper(16)}`],
    ["Amazon session", `ASIA${upper(16)}`],
    ["Google", `AIza${letters(35)}`],
    ["Slack", `xoxb-${letters(12)}-${letters(24)}`],
    ["npm", `npm_${letters(36)}`],
    ["Stripe", `sk_live_${letters(24)}`],
    ["approval token", `isdlc_${letters(43)}`],
    ["JSON web token", `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
    ["Hugging Face", `hf_${letters(34)}`],
  ].map(([kind, secret]) => [kind!, `found ${secret!}, "${secret!}" and\\n${secret!}.`, secret!] as const),
  [
    "private key",
    `x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE${"q".repeat(60)}\n-----END RSA PRIVATE KEY-----\ny`,
    "MIIE",
  ],
  ["private key without its end", `-----BEGIN PRIVATE KEY-----\nMIIEvQ`, "MIIEvQ"],
  ["address", `clone https://bob:${"s3cret/".slice(0, 6)}@host/x`, "s3cret"],
  ["URL with @ in the password", `postgres://u:p@ss1@host/db`, "ss1"],
  ["header", `Authorization: Bearer abc.def`, "abc.def"],
  ["header after an escape sequence", `\\nAuthorization: Bearer abc.def`, "abc.def"],
  ["header as JSON", `{"authorization":"Basic dXNlcjpw"}`, "dXNlcjpw"],
  ["bearer token alone", `curl -H 'bearer ${letters(30)}'`, "bearer a"],
  ["assignment", `MY_API_KEY=abcd1234`, "abcd1234"],
  ["key printed line by line", `${base64("\0abcXYZ".repeat(7)).slice(0, 62)}aZ`, "aZ"],
];

describe("known formats of secrets [S11]", () => {
  test("include at least 20 kinds", () => {
    expect(planted.length).toBeGreaterThanOrEqual(20);
  });

  test.each(planted)("are removed: %s", (_, text, secret) => {
    const clean = createRedactor([])(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain(REDACTED);
  });

  test("are removed without the text around them", () => {
    const clean = createRedactor([])(`see https://bob:pw@host/x?y=1 with ghp_${"a1".repeat(18)} now`);
    expect(clean).toBe(`see https://${REDACTED}@host/x?y=1 with ${REDACTED} now`);
  });
});

test.each([
  ["replaces a value of eight characters", "q7wertyu", REDACTED],
  ["keeps a value of seven characters", "q7werty", "q7werty"],
])("%s", (_, secret, expected) => {
  expect(createRedactor([secret])(`it says ${secret}.`)).toBe(`it says ${expected}.`);
});

describe("known secret values [S11]", () => {
  const value = 'pä"ss/wörd+9';
  const redact = createRedactor([value, "short"]);

  test.each([
    ["unencoded", value],
    ["in JSON", JSON.stringify({ value })],
    ["in a URL", `?a=${encodeURIComponent(value)}`],
    ["in base64", base64(value)],
    ["in base64 after one byte", base64(`u${value}more`)],
    ["in base64 after two bytes", base64(`us${value}`)],
    ["in URL-safe base64", Buffer.from(`usr:${value}`).toString("base64url")],
  ])("are removed %s", (_, text) => {
    expect(redact(`before ${text} after`)).toMatch(/^before .*\[secret\].* after$/);
    const decodable = redact(text)
      .split(REDACTED)
      .map((part) => Buffer.from(part, "base64").toString());
    expect(decodable.join("")).not.toContain("wörd");
  });

  test("are removed completely if one value contains another", () => {
    expect(createRedactor(["abcdefgh", "abcdefgh-and-more"])("x abcdefgh-and-more y")).toBe(`x ${REDACTED} y`);
  });

  test("are removed line by line if they have several lines", () => {
    expect(createRedactor(["firstline-1\nsecondline-2"])("got secondline-2")).toBe(`got ${REDACTED}`);
  });

  test("stay if they are short", () => {
    expect(redact("a short story")).toBe("a short story");
  });
});

test.each([
  "the task-manager-component-is-here-now",
  "3f786850e387550fdab836ed7e6dc881de23001b",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "http://localhost:3000/@scope/name and mail me@example.org",
  '{"key":"03-architecture","MAX_TOKENS":100000000}',
  "const TOKEN = readToken();",
  "-----BEGIN CERTIFICATE-----",
])("keeps ordinary text: %s", (text) => {
  expect(createRedactor([])(text)).toBe(text);
});

test("selects secrets by the names of variables", () => {
  const env = { OPENAI_API_KEY: "a", GH_TOKEN: "b", db_password: "c", AWS_CREDENTIALS_JSON: "d", CLIENT_SECRET: "e" };
  expect(listSecrets({ ...env, PATH: "/bin", KEYBOARD: "us", NO_TOKEN: undefined })).toEqual(["a", "b", "c", "d", "e"]);
});

test("cuts an oversized text and appends the count [S14]", () => {
  const clean = createRedactor([])("x".repeat(MAX_TEXT_LENGTH + 5));
  expect(clean.endsWith("[cut: 5 more characters]")).toBe(true);
});

describe("redacts in linear time [S13]", () => {
  const SIZE = 100_000;
  const redact = createRedactor(["aaaaaaaaaaaaaaab", "some-known-value"]);
  const unit = (text: string): string => text.repeat(Math.ceil(SIZE / text.length));
  const time = (text: string): number => cpuFor(() => redact(text));

  test.each([
    "a",
    "A",
    "(",
    " ",
    "\n",
    "eyJ",
    "eyJaaaaa.",
    "eyJ-",
    "sk-",
    "-----BEGIN PRIVATE KEY",
    "-----BEGIN ",
    "-----END ",
    "://",
    "://a:",
    "://a:b",
    ":@",
    "authorization",
    "authorization: ",
    "bearer ",
    "TOKEN=",
    "_KEY = ",
    "xoxb-",
    "AKIA",
    "ghp_a",
    "://a:bbbbbbbb@@@@",
    "github_pat_",
  ])("%j", (piece) => {
    const long = unit(piece);
    const short = long.slice(0, SIZE / 10);
    const shortest = Math.min(...[1, 2, 3, 4, 5].map(() => time(short)));
    const longest = Math.min(...[1, 2, 3].map(() => time(long)));
    // Ten times the text: linear is 10, quadratic 100. The floor of 2 ms reduces noise.
    expect(longest).toBeLessThan(Math.max(shortest, 2) * 45);
  });
});
