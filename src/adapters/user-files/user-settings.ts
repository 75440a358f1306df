import { join } from "node:path";
import { isRecord } from "../../core/own-value.ts";
import type { ReadSettings, SettingsStore } from "../../ports/user-settings.ts";
import { parseUserSettings } from "../../schema/user-settings.ts";
import { type FileSystem, readSmall, replaceFile } from "../file-system/file-system.ts";

const SIZE_LIMIT = 64 * 1024;

/** `config.json` in the person's configuration folder. */
export const createSettingsStore = (folder: string, files: FileSystem): SettingsStore => ({
  file: join(folder, "config.json"),
  read: () => readUserSettings(folder, files),
  write: (settings) =>
    replaceFile(files, join(folder, "config.json"), Buffer.from(`${JSON.stringify(settings, null, 2)}\n`)),
});

/** Settings fail open, visibly: a bad file counts as empty, a bad value as not set. */
export function readUserSettings(folder: string, files: FileSystem): ReadSettings {
  const path = join(folder, "config.json");
  const bytes = readSmall(files, path, SIZE_LIMIT);
  if (bytes === null) return { settings: {}, warnings: [], found: {}, bad: [] };
  try {
    const found: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(found)) return unreadable(`${path} is not used: it is no JSON object.`);
    const { settings, bad } = parseUserSettings(found);
    const warnings = bad.map((key) => `${path}: ${key} has no valid value and is not used.`);
    return { settings, warnings, found, bad };
  } catch {
    return unreadable(`${path} is not used: it is not JSON.`);
  }
}

const unreadable = (warning: string): ReadSettings => ({ settings: {}, warnings: [warning], found: null, bad: [] });
