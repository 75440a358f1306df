import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";

const MAGIC = "SSHSIG";
const LENGTH_BYTES = 4;

/** Signature as written by `ssh-keygen -Y sign`. */
export type Sshsig = {
  /** Public key in SSH's encoding. */
  readonly key: Buffer;
  readonly namespace: string;
  readonly hash: "sha256" | "sha512";
  readonly signature: Buffer;
};

/** Returns null for anything but one complete signature of version 1. */
export function parseSshsig(bytes: Buffer): Sshsig | null {
  if (bytes.toString("latin1", 0, MAGIC.length) !== MAGIC || bytes.length < MAGIC.length + LENGTH_BYTES) return null;
  if (bytes.readUInt32BE(MAGIC.length) !== 1) return null;
  const { strings, rest } = readStrings(bytes.subarray(MAGIC.length + LENGTH_BYTES), 5) ?? NO_STRINGS;
  const [key, namespace, , hash, signature] = strings;
  const name = hash?.toString("latin1");
  if (key === undefined || namespace === undefined || signature === undefined || rest.length > 0) return null;
  if (name !== "sha256" && name !== "sha512") return null;
  return { key, namespace: namespace.toString("utf8"), hash: name, signature };
}

/**
 * Checks the cryptography of a signature without a process: a forgery costs a fraction of a millisecond. Signer,
 * purpose and validity time of the key are decided by ssh-keygen alone. Returns false for types not accepted by
 * OpenSSH here.
 */
export function isValidSignature(bytes: Buffer, { key, namespace, hash, signature }: Sshsig): boolean {
  const digest = createHash(hash).update(bytes).digest();
  const message = Buffer.concat([Buffer.from(MAGIC), ...[namespace, "", hash, digest].map(encodeString)]);
  const fields = readStrings(key, 1);
  const type = fields?.strings[0]?.toString("latin1") ?? "";
  const check = CHECKS[type];
  try {
    return fields !== null && check !== undefined && check({ key: fields.rest, message, signature });
  } catch {
    return false; // a key or signature that OpenSSL does not understand
  }
}

type SignatureCheck = { readonly key: Buffer; readonly message: Buffer; readonly signature: Buffer };
type Check = (question: SignatureCheck) => boolean;

const CURVES: Readonly<Record<string, { readonly crv: string; readonly hash: string; readonly bytes: number }>> = {
  nistp256: { crv: "P-256", hash: "sha256", bytes: 32 },
  nistp384: { crv: "P-384", hash: "sha384", bytes: 48 },
  nistp521: { crv: "P-521", hash: "sha512", bytes: 66 },
};

const CHECKS: Readonly<Record<string, Check>> = {
  "ssh-ed25519": ({ key, message, signature }) => {
    const [point] = take(key, 1).strings;
    const [type, value] = take(signature, 2).strings;
    return type?.toString() === "ssh-ed25519" && verify(null, message, ed25519Key(point), value ?? Buffer.alloc(0));
  },
  "ssh-rsa": ({ key, message, signature }) => {
    const [e, n] = take(key, 2).strings;
    const [type, value = Buffer.alloc(0)] = take(signature, 2).strings;
    const hash = { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" }[type?.toString() ?? ""];
    return hash !== undefined && verify(hash, message, publicKey({ kty: "RSA", n: number(n), e: number(e) }), value);
  },
  "ecdsa-sha2-nistp256": ecdsa,
  "ecdsa-sha2-nistp384": ecdsa,
  "ecdsa-sha2-nistp521": ecdsa,
  "sk-ssh-ed25519@openssh.com": ({ key, message, signature }) => {
    const [point, application] = take(key, 2).strings;
    const { strings, rest } = take(signature, 2, SK_TAIL_BYTES);
    const data = Buffer.concat([sha256(application), rest, sha256(message)]);
    const isType = strings[0]?.toString() === "sk-ssh-ed25519@openssh.com";
    return isType && verify(null, data, ed25519Key(point), strings[1] ?? Buffer.alloc(0));
  },
  "sk-ecdsa-sha2-nistp256@openssh.com": securityKeyEcdsa,
};

/** Flags and counter after the signature of a security key. */
const SK_TAIL_BYTES = 5;

/** Flags of a passkey: OpenSSH rejects attested data, and extensions that do not fit their flag. */
const ATTESTED_DATA = 0x40;
const EXTENSION_DATA = 0x80;

function ecdsa({ key, message, signature }: SignatureCheck): boolean {
  const [curve, point] = take(key, 2).strings;
  const [type, numbers] = take(signature, 2).strings;
  if (type?.toString() !== `ecdsa-sha2-${curve?.toString() ?? ""}`) return false;
  return isEcdsaSignature({ curve, point, numbers }, message);
}

/** Checks a signature of a security key, or of a passkey in a browser. */
function securityKeyEcdsa({ key, message, signature }: SignatureCheck): boolean {
  const [curve, point, application] = take(key, 3).strings;
  const fields = readStrings(signature, 2);
  if (fields === null) return false;
  const [type, numbers] = fields.strings;
  const tail = fields.rest.subarray(0, SK_TAIL_BYTES);
  const more = fields.rest.subarray(SK_TAIL_BYTES);
  const asked = { curve, point, numbers };
  if (type?.toString() === "sk-ecdsa-sha2-nistp256@openssh.com")
    return more.length === 0 && isEcdsaSignature(asked, Buffer.concat([sha256(application), tail, sha256(message)]));
  const client = type?.toString() === "webauthn-sk-ecdsa-sha2-nistp256@openssh.com" ? readClient(more) : null;
  if (client === null || !isSignedClient(client, tail[0] ?? 0, message)) return false;
  const data = [sha256(application), tail, client.extensions, sha256(client.text)];
  return isEcdsaSignature(asked, Buffer.concat(data));
}

/** Fields that a browser adds to the signature of a passkey. */
type ClientFields = Readonly<Record<"origin" | "text" | "extensions", Buffer>>;

function readClient(bytes: Buffer): ClientFields | null {
  const [origin, text, extensions] = take(bytes, 3).strings;
  if (origin === undefined || text === undefined || extensions === undefined) return null;
  return { origin, text, extensions };
}

/** True if the browser's text starts with the challenge and the origin, as OpenSSH requires it. */
function isSignedClient({ origin, text, extensions }: ClientFields, flags: number, message: Buffer): boolean {
  if (origin.includes('"') || origin.includes(0) || (flags & ATTESTED_DATA) !== 0) return false;
  if (((flags & EXTENSION_DATA) !== 0) !== extensions.length > 0) return false;
  const opening = `{"type":"webauthn.get","challenge":"${message.toString("base64url")}","origin":"`;
  const start = Buffer.concat([Buffer.from(opening), origin, Buffer.from('"')]);
  return text.subarray(0, start.length).equals(start);
}

type EcdsaFields = Readonly<Record<"curve" | "point" | "numbers", Buffer | undefined>>;

function isEcdsaSignature({ curve, point = Buffer.alloc(0), numbers }: EcdsaFields, data: Buffer): boolean {
  const known = CURVES[curve?.toString() ?? ""];
  if (known === undefined || point[0] !== 4 || point.length !== 1 + 2 * known.bytes) return false;
  const [x, y] = [point.subarray(1, 1 + known.bytes), point.subarray(1 + known.bytes)];
  const key = publicKey({ kty: "EC", crv: known.crv, x: number(x), y: number(y) });
  const both = take(numbers ?? Buffer.alloc(0), 2).strings.map((value) => readInteger(value, known.bytes));
  return verify(known.hash, data, { key, dsaEncoding: "ieee-p1363" }, Buffer.concat(both));
}

/**
 * Returns a positive integer of SSH with a fixed length. SSH writes it as short as possible, with a zero before a high
 * bit.
 * @throws RangeError if it is written in another way, or is longer
 */
function readInteger(value: Buffer, bytes: number): Buffer {
  const [first = 0, second = 0] = value;
  const digits = first === 0 ? value.subarray(1) : value;
  const isShortest = value.length > 0 && first < 0x80 && (first !== 0 || second >= 0x80);
  if (!isShortest || digits.length > bytes) throw new RangeError("an integer in another form");
  return Buffer.concat([Buffer.alloc(bytes - digits.length), digits]);
}

const MAX_KNOWN_KEYS = 100;
const knownKeys = new Map<string, KeyObject>();

/**
 * Caches keys: most signatures of a repository use the same few, and reading a key takes longer than checking a
 * signature.
 */
function publicKey(key: JsonWebKey): KeyObject {
  const name = JSON.stringify(key);
  const known = knownKeys.get(name) ?? createPublicKey({ key, format: "jwk" });
  if (knownKeys.size >= MAX_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(name, known);
  return known;
}

const ed25519Key = (point: Buffer | undefined): KeyObject =>
  publicKey({ kty: "OKP", crv: "Ed25519", x: number(point) });
const number = (value: Buffer = Buffer.alloc(0)): string => value.toString("base64url");
const sha256 = (value: Buffer = Buffer.alloc(0)): Buffer => createHash("sha256").update(value).digest();

const NO_STRINGS: Strings = { strings: [], rest: Buffer.alloc(0) };

type Strings = { readonly strings: readonly Buffer[]; readonly rest: Buffer };

/**
 * Reads strings like `readStrings`; exactly `more` bytes must follow.
 * @throws RangeError if not
 */
function take(bytes: Buffer, count: number, more = 0): Strings {
  const fields = readStrings(bytes, count);
  if (fields === null || fields.rest.length !== more) throw new RangeError("another number of fields");
  return fields;
}

/** Reads SSH strings: a length of four bytes, then the content. Null if the bytes end too early. */
function readStrings(bytes: Buffer, count: number): Strings | null {
  const strings: Buffer[] = [];
  let rest = bytes;
  while (strings.length < count) {
    if (rest.length < LENGTH_BYTES || rest.length < LENGTH_BYTES + rest.readUInt32BE(0)) return null;
    const end = LENGTH_BYTES + rest.readUInt32BE(0);
    strings.push(rest.subarray(LENGTH_BYTES, end));
    rest = rest.subarray(end);
  }
  return { strings, rest };
}

function encodeString(value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
