import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { Assertion, NewPasskey } from "../../src/schema/api-passkey.ts";
import type { Passkey } from "../../src/ports/callers.ts";

/** A software authenticator. Tests can make it sign what a real one would refuse. */
export type Authenticator = {
  readonly passkey: Passkey;
  /** Returns what a browser sends after creating a passkey. */
  make(challenge: string, how?: How): NewPasskey;
  assert(challenge: string, how?: How): Assertion;
};

export type How = {
  readonly origin?: string;
  readonly relyingParty?: string;
  /** False if the authenticator did not verify the user. */
  readonly isVerified?: boolean;
  readonly type?: string;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;
const COUNTER_BYTES = 4;
const AAGUID_BYTES = 16;
/**
 * CBOR of `{ fmt: "none", attStmt: {}, authData: <bytes> }`, up to the length of the bytes. The length takes one byte.
 */
const UNATTESTED = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex");
const digest = (bytes: string | Buffer): Buffer => createHash("sha256").update(bytes).digest();

export function createAuthenticator(origin: string, id = "dGVzdC1wYXNza2V5"): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  // A COSE key: kty EC2, alg ES256, crv P-256, then both coordinates.
  const head = Buffer.from("a5010203262001215820", "hex");
  const cose = Buffer.concat([
    head,
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  let counter = 0;
  return {
    passkey: {
      id,
      publicKey: cose.toString("base64url"),
      name: "test",
      createdAt: "2026-01-01T00:00:00.000Z",
      counter,
    },
    make(
      challenge,
      { relyingParty = "localhost", isVerified = true, type = "webauthn.create", origin: at = origin } = {},
    ) {
      const flags = Buffer.from([PRESENT | (isVerified ? VERIFIED : 0) | WITH_CREDENTIAL]);
      const rawId = Buffer.from(id, "base64url");
      const nobodys = Buffer.alloc(AAGUID_BYTES + COUNTER_BYTES);
      const authData = Buffer.concat([
        digest(relyingParty),
        flags,
        nobodys,
        Buffer.from([0, rawId.length]),
        rawId,
        cose,
      ]);
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }));
      const response = {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: Buffer.concat([UNATTESTED, Buffer.from([authData.length]), authData]).toString("base64url"),
      };
      return { name: "test", response: { id, rawId: id, type: "public-key", response } };
    },
    assert(
      challenge,
      { relyingParty = "localhost", isVerified = true, type = "webauthn.get", origin: at = origin } = {},
    ) {
      const count = Buffer.alloc(4);
      count.writeUInt32BE(++counter);
      const flags = Buffer.from([PRESENT | (isVerified ? VERIFIED : 0)]);
      const authenticatorData = Buffer.concat([digest(relyingParty), flags, count]);
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }));
      const signature = sign("sha256", Buffer.concat([authenticatorData, digest(clientData)]), privateKey);
      return {
        id,
        clientData: clientData.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: signature.toString("base64url"),
      };
    },
  };
}
