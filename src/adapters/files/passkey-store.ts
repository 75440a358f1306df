import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { ProblemError } from "../../core/problem.ts";
import { PasskeyKey } from "../../schema/passkey.ts";
import { type FileSystem, readSmall, replaceFile } from "./file-system.ts";
import type { Passkey, Passkeys } from "../../ports/callers.ts";

const PasskeyFile = z.object({
  passkeys: z.array(
    z.object({
      ...PasskeyKey.shape,
      name: z.string(),
      createdAt: z.iso.datetime(),
      counter: z.int(),
    }),
  ),
});

const MAX_PASSKEY_FILE_BYTES = 256 * 1024;

/** Stores passkeys in `passkeys.json` in the user's configuration folder. */
export function createPasskeyStore(folder: string, files: FileSystem): Passkeys {
  const path = join(folder, "passkeys.json");
  const list = (): readonly Passkey[] => read(files, path);
  const write = (passkeys: readonly Passkey[]): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceFile(files, path, Buffer.from(`${JSON.stringify({ passkeys }, null, 2)}\n`));
  };
  return {
    list,
    keep: (passkey) => write([...list().filter(({ id }) => id !== passkey.id), passkey]),
    remove: (id) => write(list().filter((one) => one.id !== id)),
  };
}

function read(files: FileSystem, path: string): readonly Passkey[] {
  const bytes = readSmall(files, path, MAX_PASSKEY_FILE_BYTES);
  if (bytes === null) return [];
  const found = z.safeParse(PasskeyFile, parsed(bytes.toString("utf8")));
  if (found.success) return found.data.passkeys;
  throw new ProblemError({ code: "SETTINGS_UNREADABLE", file: path, detail: "it is not a list of passkeys" });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
