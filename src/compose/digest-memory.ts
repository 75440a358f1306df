import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { readSmall, replaceFile } from "../adapters/files/file-system.ts";
import type { ProjectLocation } from "./project-location.ts";

/** Digests by name, recorded at the start of a run. */
export type DigestMemory = {
  read(): Readonly<Record<string, string>> | null;
  write(digests: Readonly<Record<string, string>>): void;
};

const Kept = z.object({ run: z.string(), digests: z.record(z.string(), z.string()) });
const MAX_DIGEST_FILE_BYTES = 16 * 1024 * 1024;

/** Stores digests in the user's state folder, outside of the reach of sandboxed agents. */
export function digestMemory({ root, folders, files }: ProjectLocation, run: string, name: string): DigestMemory {
  const tree = createHash("sha256").update(root).digest("hex").slice(0, 24);
  const path = join(folders.state, `${name}-${tree}.json`);
  return {
    read() {
      const found = z.safeParse(Kept, parsed(readSmall(files, path, MAX_DIGEST_FILE_BYTES)));
      return found.success && found.data.run === run ? found.data.digests : null;
    },
    write: (digests) => replaceFile(files, path, Buffer.from(JSON.stringify({ run, digests }))),
  };
}

function parsed(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "null");
  } catch {
    return null; // counts as not recorded
  }
}
