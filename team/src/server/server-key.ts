import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export type ServerKey = { readonly privateKey: KeyObject; readonly publicPem: string };

/** Reads the key that signs decisions, and creates it if the file is missing. Several servers can share one file. */
export function loadServerKey(file: string): ServerKey {
  if (!existsSync(file)) createKey(file);
  const privateKey = createPrivateKey(readFileSync(file));
  const publicPem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  return { privateKey, publicPem };
}

/** Never replaces a key or exposes an incomplete file, even if another server creates or reads it concurrently. */
function createKey(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync("ed25519");
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  try {
    linkSync(whole, file);
  } catch (error) {
    if (!existsSync(file)) throw error; // otherwise another server was first
  } finally {
    rmSync(whole, { force: true });
  }
}
