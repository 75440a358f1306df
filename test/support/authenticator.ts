import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { Assertion } from "../../src/schema/api-passkey.ts";
import type { Passkey } from "../../src/ports/passkeys.ts";

/** An authenticator in software, so that tests can have it sign what a real one would not. */
export type Authenticator = {
  readonly passkey: Passkey;
  assert(challenge: string, how?: How): Assertion;
};

export type How = {
  readonly origin?: string;
  readonly relyingParty?: string;
  /** False: the authenticator did not verify who is there. */
  readonly isVerified?: boolean;
  readonly type?: string;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
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
