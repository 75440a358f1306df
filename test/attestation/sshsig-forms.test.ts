import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { keyPeriod, NAMESPACE, signWithSsh } from "../../src/adapters/attestation/ssh-signature.ts";
import { isValidSignature, parseSshsig } from "../../src/adapters/attestation/sshsig.ts";
import { removeTemporary } from "../support/remove-temporary.ts";
import { makeKey } from "./keys.ts";
import { passkeySignature } from "./passkeys.ts";

const base = mkdtempSync(join(tmpdir(), "isdlc-sshsig-forms-"));
afterAll(() => removeTemporary(base));
const message = Buffer.from("a statement");
const MAGIC_BYTES = 10; // with the version

const isValid = (sig: Buffer): boolean => {
  const parsed = parseSshsig(sig);
  return parsed !== null && isValidSignature(message, parsed);
};

function isValidForKeygen(sig: Buffer): boolean {
  const file = join(base, "signature");
  const lines = sig.toString("base64").match(/.{1,70}/g) ?? [];
  writeFileSync(file, `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`);
  try {
    const args = ["-Y", "check-novalidate", "-n", NAMESPACE, "-s", file];
    execFileSync("ssh-keygen", args, { input: message, stdio: ["pipe", "ignore", "ignore"] });
    return true;
  } catch {
    return false;
  }
}

function split(bytes: Buffer): Buffer[] {
  if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE(0)) return [];
  const end = 4 + bytes.readUInt32BE(0);
  return [bytes.subarray(4, end), ...split(bytes.subarray(end))];
}

function encode(strings: readonly Buffer[], rest: Buffer = Buffer.alloc(0)): Buffer {
  const encoded = strings.map((content) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, content]);
  });
  return Buffer.concat([...encoded, rest]);
}

type Fields = { readonly type: Buffer; readonly value: Buffer; readonly rest: Buffer };

/** Rewrites the inner signature of an SSHSIG. */
function rewrite(sig: Buffer, change: (fields: Fields) => Buffer): Buffer {
  const strings = split(sig.subarray(MAGIC_BYTES));
  const inner = strings[4] ?? Buffer.alloc(0);
  const [type = Buffer.alloc(0), value = Buffer.alloc(0)] = split(inner);
  const rest = inner.subarray(8 + type.length + value.length);
  return Buffer.concat([sig.subarray(0, MAGIC_BYTES), encode([...strings.slice(0, 4), change({ type, value, rest })])]);
}

const integers = (change: (value: Buffer, index: number) => Buffer) => (fields: Fields) =>
  encode([fields.type, encode(split(fields.value).map(change))], fields.rest);
const before = (bytes: readonly number[]) => (value: Buffer) => Buffer.concat([Buffer.from(bytes), value]);

/** Rewrites the flags, and the strings that a browser adds. */
const passkey = (change: (tail: Buffer, more: readonly Buffer[]) => Buffer) => (fields: Fields) =>
  encode([fields.type, fields.value], change(fields.rest.subarray(0, 5), split(fields.rest.subarray(5))));
const flags = (bits: number) => (tail: Buffer, more: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([(tail[0] ?? 0) | bits]), tail.subarray(1), encode(more)]);
const origin = (change: (origin: Buffer) => Buffer) => (tail: Buffer, more: readonly Buffer[]) =>
  Buffer.concat([tail, encode(more.map((text, index) => (index === 0 ? change(text) : text)))]);

/** Other encodings of a good signature, which anyone can make. */
const FORMS: Readonly<Record<string, (fields: Fields) => Buffer>> = {
  "a zero before each integer": integers(before([0])),
  "other bytes before each integer": integers(before([1, 2, 3])),
  "zeros before each integer": integers(before(Array.from({ length: 40 }, () => 0))),
  "zeros after each integer": integers((value) => Buffer.concat([value, Buffer.alloc(1)])),
  "an empty second integer": integers((value, index) => (index === 0 ? value : Buffer.alloc(0))),
  "negative integers": integers(before([0x80])),
  "a third integer": ({ type, value, rest }) =>
    encode([type, Buffer.concat([value, encode([Buffer.from([1])])])], rest),
  "bytes after it": ({ type, value, rest }) => encode([type, value], Buffer.concat([rest, Buffer.from([0])])),
  "a zero before its value": ({ type, value, rest }) => encode([type, Buffer.concat([Buffer.alloc(1), value])], rest),
  "a shorter value": ({ type, value, rest }) => encode([type, value.subarray(1)], rest),
  "no type": ({ value, rest }) => encode([Buffer.alloc(0), value], rest),
  "another type": ({ value, rest }) => encode([Buffer.from("ssh-rsa"), value], rest),
  "the flag of attested data": passkey(flags(0x40)),
  "the flag of extensions": passkey(flags(0x80)),
  "a quote in the origin": passkey(origin((text) => Buffer.concat([text, Buffer.from('","crossOrigin":false')]))),
  "a NUL in the origin": passkey(origin((text) => Buffer.concat([text, Buffer.alloc(1)]))),
  "a shorter origin": passkey(origin((text) => text.subarray(0, -1))),
};

const sign = async (type: string): Promise<Buffer> =>
  type === "passkey"
    ? passkeySignature(message, {}).sig
    : (await signWithSsh(message, { is: "file", path: makeKey(base, type, type).file })).sig;

test.each(["ed25519", "rsa", "ecdsa", "passkey"])(
  "accepts no other encoding of a signature of type %s that ssh-keygen rejects",
  async (type) => {
    const sig = await sign(type);
    expect([isValid(sig), isValidForKeygen(sig)]).toEqual([true, true]);
    expect(rewrite(sig, ({ type: name, value, rest }) => encode([name, value], rest))).toEqual(sig);
    const looser = Object.entries(FORMS).filter(([, change]) => {
      const changed = rewrite(sig, change);
      return !changed.equals(sig) && isValid(changed) && !isValidForKeygen(changed);
    });
    expect(looser.map(([name]) => name)).toEqual([]);
  },
);

const LIST =
  'ada valid-after="20260101",valid-before="20270101Z" ssh-ed25519 AAAA\nben VALID-BEFORE="202606011200" ssh-…\n';

test.each([
  ["2025-12-31T23:59:59Z", "after 0"],
  ["2026-01-01T00:00:00Z", "20260101000000"],
  ["2026-01-01T00:00:01.999Z", "after 1"],
  ["2026-06-01T11:59:59Z", "after 1"],
  ["2026-06-01T12:00:00Z", "20260601120000"],
  ["2026-06-01T12:00:01Z", "after 2"],
  ["2027-01-01T00:00:01Z", "after 3"],
])("a key listed with times is asked about again in each period: %s is in %s", (at, period) => {
  expect(keyPeriod(LIST, at)).toBe(period);
});

test.each([
  'valid-after="2026"',
  "valid-after=20260101",
  'valid-before="20260101+02"',
  'valid-until,valid-before="-1"',
])("each second is a period of its own if the list has %s", (options) => {
  expect(keyPeriod(`${LIST}eve ${options} ssh-ed25519 AAAA\n`, "2026-02-03T04:05:06Z")).toBe("20260203040506");
});
