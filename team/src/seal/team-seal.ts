import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { createReaderSeal, keyId } from "../../../src/adapters/remote/reader-seal.ts";
import type { Seal } from "../../../src/ports/journal.ts";

/** Creates the server's seal. Marks have the form `<id of the key>.<Ed25519 signature>`. */
export function createTeamSeal(privateKey: KeyObject): Seal {
  const publicKey = createPublicKey(privateKey);
  const id = keyId(publicKey);
  const reader = createReaderSeal([publicKey]);
  return {
    mark: (hash) => `${id}.${sign(null, Buffer.from(hash), privateKey).toString("base64url")}`,
    fits: (hash, mark, text) => reader.fits(hash, mark, text),
  };
}
