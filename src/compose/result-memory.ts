import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { readSmall, replaceFile } from "../adapters/file-system/file-system.ts";
import { CheckResult } from "../schema/facts.ts";
import type { ProjectLocation } from "./project-location.ts";

/** Earlier test results, by a key that covers everything they depend on. */
export type ResultMemory = {
  read(key: string): CheckResult | null;
  write(key: string, result: CheckResult): void;
};

const Kept = z.array(z.strictObject({ key: z.string(), result: CheckResult }));
/** Maximum number of saved results. */
const MAX_KEPT = 8;
const MAX_RESULT_FILE_BYTES = 1024 * 1024;

/** Stores results in the user's state folder, outside of the reach of sandboxed agents. */
export function resultMemory({ root, folders, files }: ProjectLocation): ResultMemory {
  const tree = createHash("sha256").update(root).digest("hex").slice(0, 24);
  const path = join(folders.state, `tests-${tree}.json`);
  const read = () => {
    const found = z.safeParse(Kept, parsed(readSmall(files, path, MAX_RESULT_FILE_BYTES)));
    return found.success ? found.data : [];
  };
  return {
    read: (key) => read().find((kept) => kept.key === key)?.result ?? null,
    write(key, result) {
      const others = read().filter((kept) => kept.key !== key);
      const kept = [{ key, result }, ...others].slice(0, MAX_KEPT);
      replaceFile(files, path, Buffer.from(JSON.stringify(kept)));
    },
  };
}

function parsed(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "null");
  } catch {
    return null; // counts as not recorded
  }
}
