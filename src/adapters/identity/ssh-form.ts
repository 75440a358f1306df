import { createHash } from "node:crypto";
import type { PasskeyAssertion, PasskeyKey } from "../../schema/passkey.ts";
import { THIS_MACHINE } from "./relying-party.ts";

/*
 * OpenSSH verifies passkey signatures of browsers with the algorithm `webauthn-sk-ecdsa-sha2-nistp256`. With a challenge
 * in the form of OpenSSH, `ssh-keygen -Y verify` can verify the assertion with a list of signers.
 */

const KEY_TYPE = "sk-ecdsa-sha2-nistp256@openssh.com";
const SIGNATURE_TYPE = "webauthn-sk-ecdsa-sha2-nistp256@openssh.com";
const MAGIC = Buffer.from("SSHSIG");
const VERSION = 1;
const DIGEST = "sha256";

/** Flags of the authenticator: a user was present and verified. */
const PRESENT_AND_VERIFIED = 0x05;

/** Returns the challenge, in base64url, that binds a signature to these bytes and this purpose. */
export function challengeFor(bytes: Buffer, namespace: string): string {
  const digest = createHash(DIGEST).update(bytes).digest();
  return Buffer.concat([MAGIC, text(namespace), text(""), text(DIGEST), text(digest)]).toString("base64url");
}

/** Formats the key for a list of signers. Returns null unless it is an ES256 key: OpenSSH has no form for others. */
export function sshKeyLine(key: PasskeyKey): string | null {
  const blob = keyBlob(key);
  return blob === null ? null : `${KEY_TYPE} ${blob.toString("base64")}`;
}

export type SshForm = { readonly key: PasskeyKey; readonly namespace: string };

/** Converts an assertion to the signature format of ssh-keygen. Returns null unless the key is an ES256 key. */
export function toSshSignature(assertion: PasskeyAssertion, { key, namespace }: SshForm): Buffer | null {
  const blob = keyBlob(key);
  const told = Buffer.from(assertion.authenticatorData, "base64url");
  const numbers = parseNumbers(Buffer.from(assertion.bytes, "base64url"));
  if (blob === null || numbers === null || told.length < COUNTER_END) return null;
  const clientData = Buffer.from(assertion.clientData, "base64url");
  const signature = Buffer.concat([
    text(SIGNATURE_TYPE),
    text(Buffer.concat(numbers.map(text))),
    told.subarray(FLAGS_AT, COUNTER_END),
    text(originIn(clientData)),
    text(clientData),
    text(told.subarray(COUNTER_END)),
  ]);
  return Buffer.concat([MAGIC, count(VERSION), text(blob), text(namespace), text(""), text(DIGEST), text(signature)]);
}

export type PasskeyInSignature = {
  /** True if the authenticator verified the user. */
  readonly isVerified: boolean;
  readonly origin: string;
  readonly relyingParty: string;
};

/**
 * Reads the origin, the relying party and the user verification from a passkey's signature. Returns null for another
 * kind of key.
 */
export function passkeyIn(sig: Buffer): PasskeyInSignature | null {
  const [key, , , , signature] = parseTexts(sig.subarray(MAGIC.length + LENGTH));
  const [type, numbers] = parseTexts(signature ?? Buffer.alloc(0));
  if (signature === undefined || numbers === undefined || type?.toString("latin1") !== SIGNATURE_TYPE) return null;
  const flagsAt = LENGTH + type.length + LENGTH + numbers.length;
  const flags = signature[flagsAt] ?? 0;
  const [origin] = parseTexts(signature.subarray(flagsAt + COUNTER_END - FLAGS_AT));
  const [, , , relyingParty] = parseTexts(key ?? Buffer.alloc(0));
  return {
    isVerified: (flags & PRESENT_AND_VERIFIED) === PRESENT_AND_VERIFIED,
    origin: origin?.toString("utf8") ?? "",
    relyingParty: relyingParty?.toString("utf8") ?? "",
  };
}

const LENGTH = 4; // bytes of a length
const FLAGS_AT = 32; // after the digest of the relying party
const COUNTER_END = 37;

/** A COSE key of type ES256, in its only encoding. */
const ES256 = /^a5010203262001215820([0-9a-f]{64})225820([0-9a-f]{64})$/;

function keyBlob({ publicKey, relyingParty = THIS_MACHINE }: PasskeyKey): Buffer | null {
  const [, x, y] = ES256.exec(Buffer.from(publicKey, "base64url").toString("hex")) ?? [];
  if (x === undefined || y === undefined) return null;
  return Buffer.concat([text(KEY_TYPE), text("nistp256"), text(Buffer.from(`04${x}${y}`, "hex")), text(relyingParty)]);
}

/** Returns both numbers of an ECDSA signature (SEQUENCE of two INTEGERs). SSH encodes each in the same way. */
function parseNumbers(der: Buffer): readonly [Buffer, Buffer] | null {
  const [first, second] = [der[3], der[5 + (der[3] ?? 0)]];
  if (first === undefined || second === undefined || der.length !== 6 + first + second) return null;
  return [der.subarray(4, 4 + first), der.subarray(6 + first)];
}

function originIn(clientData: Buffer): string {
  return (
    /^\{"type":"webauthn\.get","challenge":"[\w-]+","origin":"([^"\\]*)"/.exec(clientData.toString("utf8"))?.[1] ?? ""
  );
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([count(bytes.length), bytes]);
}

/** Returns the complete length-prefixed texts at the start of the bytes. */
function parseTexts(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let left = bytes;
  while (left.length >= LENGTH && left.length >= LENGTH + left.readUInt32BE(0)) {
    const end = LENGTH + left.readUInt32BE(0);
    found.push(left.subarray(LENGTH, end));
    left = left.subarray(end);
  }
  return found;
}
