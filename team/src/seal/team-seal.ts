import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Seal } from "../../../src/ports/seal.ts";

/** Whoever has the private key marks decisions: `<id of the key>.<Ed25519 signature>`. */
export function createTeamSeal(privateKey: KeyObject): Seal {
  const publicKey = createPublicKey(privateKey);
  const id = keyId(publicKey);
  const reader = createReaderSeal([publicKey]);
  return {
    mark: (hash) => `${id}.${sign(null, Buffer.from(hash), privateKey).toString("base64url")}`,
    fits: (hash, mark, text) => reader.fits(hash, mark, text),
  };
}

/** For everybody else, who can tell a mark of the team's keys from any other and make none. */
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

const ID_LENGTH = 16;

const keyId = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, ID_LENGTH);
