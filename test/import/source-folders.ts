import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "../support/cli.ts";

/** Puts a folder next to the user's working tree. */
export function place(sandbox: Sandbox, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(sandbox.base, "elsewhere", name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Content of a whole folder, to detect any change. */
export const fingerprint = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      try {
        return `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`;
      } catch {
        return name;
      }
    })
    .join("\n");
