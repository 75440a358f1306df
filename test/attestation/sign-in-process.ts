import { createHash, createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Envelope, encodeEnvelope, signedBytes } from "../../src/adapters/attestation/dsse.ts";
import { NAMESPACE, readSigningKey } from "../../src/adapters/attestation/ssh-signature.ts";
import type { Key } from "./keys.ts";

const MAGIC = Buffer.from("SSHSIG");
const KEY_MAGIC = "openssh-key-v1\0";
/** Start of an Ed25519 private key in PKCS #8; the seed follows. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_BYTES = 32;

/** Signs like `ssh-keygen -Y sign` with an Ed25519 key that has no passphrase, without starting a process. */
export function signInProcess(bytes: Buffer, { file }: Key): Envelope["signatures"][number] {
  const { seed, publicKey } = readKey(file);
  const digest = createHash("sha512").update(bytes).digest();
  const purpose = [text(NAMESPACE), text(""), text("sha512")];
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const raw = sign(null, Buffer.concat([MAGIC, ...purpose, text(digest)]), key);
  const signature = Buffer.concat([text("ssh-ed25519"), text(raw)]);
  const sig = Buffer.concat([MAGIC, number(1), text(publicKey), ...purpose, text(signature)]);
  return { keyid: readSigningKey(sig) ?? "", sig };
}

/** A line of the notes with a signature of each key. `isForged`: the signatures are over something else. */
export function signLine(payload: Buffer, keys: readonly Key[], isForged = false): string {
  const bytes = signedBytes(isForged ? Buffer.from("something else") : payload);
  return encodeEnvelope({ payload, signatures: keys.map((key) => signInProcess(bytes, key)) });
}

type PrivateKey = { readonly seed: Buffer; readonly publicKey: Buffer };
const known = new Map<string, PrivateKey>();

function readKey(file: string): PrivateKey {
  const key = known.get(file) ?? parseKey(readFileSync(file, "utf8"));
  known.set(file, key);
  return key;
}

function parseKey(armored: string): PrivateKey {
  const bytes = Buffer.from(armored.replaceAll(/-----.*-----|\s/g, ""), "base64");
  const [, , , afterOptions] = strings(bytes.subarray(KEY_MAGIC.length), 3);
  const [publicKey, secret] = strings((afterOptions ?? Buffer.alloc(0)).subarray(4), 2);
  const [, , pair] = strings((secret ?? Buffer.alloc(0)).subarray(8), 3);
  if (publicKey === undefined || pair === undefined) throw new Error("not an Ed25519 key");
  return { seed: pair.subarray(0, SEED_BYTES), publicKey };
}

/** The strings at the start, and the rest. */
function strings(bytes: Buffer, count: number): Buffer[] {
  const found: Buffer[] = [];
  let rest = bytes;
  for (let index = 0; index < count; index++) {
    const end = 4 + rest.readUInt32BE(0);
    found.push(rest.subarray(4, end));
    rest = rest.subarray(end);
  }
  return [...found, rest];
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([number(content.length), content]);
}
