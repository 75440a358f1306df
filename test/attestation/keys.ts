import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export type Key = { readonly file: string; readonly public: string };

/** A real key without a passphrase; `public` is its line as an allowed_signers file wants it. */
export function makeKey(folder: string, name: string, type = "ed25519"): Key {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", "", "-f", file]);
  const line = execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).trim();
  return { file, public: line };
}
