import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Seal } from "../../ports/journal.ts";

/** Creates a seal that verifies marks of the team's keys and makes none. Used by all programs except the server. */
export function createReaderSeal(publicKeys: readonly KeyObject[]): Seal {
  const keys = new Map(publicKeys.map((key) => [keyId(key), key]));
  return {
    mark() {
      throw new Error("Only the server marks decisions.");
    },
    fits(hash, mark) {
      const [id = "", signature = ""] = mark.split(".");
      const key = keys.get(id);
      return key !== undefined && verify(null, Buffer.from(hash), key, Buffer.from(signature, "base64url"));
    },
  };
}

export const parsePublicKeys = (pems: readonly string[]): readonly KeyObject[] =>
  pems.map((pem) => createPublicKey(pem));

const ID_LENGTH = 16;

/** Returns the id of a key as used in marks. */
export const keyId = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, ID_LENGTH);
