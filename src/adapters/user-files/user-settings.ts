import { join } from "node:path";
import * as z from "zod/mini";
import { Channel } from "../../schema/people.ts";
import { type FileCalls, readSmall, replaceFile } from "../file-lock/file-calls.ts";

/** `auto`: where it can be done. */
export const SandboxChoice = z.enum(["auto", "on", "off"]);

/** A person's own settings, for every project. */
export const UserSettings = z.object({
  agent: z.optional(z.string()),
  "agent-command": z.optional(z.string()),
  reviewer: z.optional(z.string()),
  "reviewer-command": z.optional(z.string()),
  /** Channels that may answer; all where it is not set. */
  approvals: z.optional(z.array(Channel)),
  sandbox: z.optional(SandboxChoice),
  /** Paths outside of the working tree that agents in a sandbox may read, or write. */
  "sandbox-read": z.optional(z.array(z.string())),
  "sandbox-write": z.optional(z.array(z.string())),
});
export type UserSettings = z.infer<typeof UserSettings>;

const SIZE_LIMIT = 64 * 1024;

export type ReadSettings = { readonly settings: UserSettings; readonly warnings: readonly string[] };

/** Settings fail open, visibly: a bad file counts as empty, a bad value as not set. */
export function readUserSettings(folder: string, files: FileCalls): ReadSettings {
  const path = join(folder, "config.json");
  const bytes = readSmall(files, path, SIZE_LIMIT);
  if (bytes === null) return { settings: {}, warnings: [] };
  try {
    const parsed = z.safeParse(UserSettings, JSON.parse(bytes.toString("utf8")));
    if (parsed.success) return { settings: parsed.data, warnings: [] };
    const bad = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
    return { settings: {}, warnings: [`${path} is not used: ${bad} has no valid value.`] };
  } catch {
    return { settings: {}, warnings: [`${path} is not used: it is not JSON.`] };
  }
}

export function writeUserSettings(folder: string, files: FileCalls, settings: UserSettings): void {
  replaceFile(files, join(folder, "config.json"), Buffer.from(`${JSON.stringify(settings, null, 2)}\n`));
}
