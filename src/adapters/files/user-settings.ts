import { join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { ReadSettings, SettingsStore } from "../../ports/user-settings.ts";
import { isProjectSetting, parseUserSettings, type UserSettings } from "../../schema/user-settings.ts";
import { type FileSystem, readSmall, replaceFile } from "./file-system.ts";

const MAX_SETTINGS_BYTES = 64 * 1024;

/** Stores `config.json` in the user's configuration folder, and reads it for one project. */
export const createSettingsStore = (folder: string, files: FileSystem, project: string): SettingsStore => ({
  file: join(folder, "config.json"),
  project,
  read: () => readUserSettings(folder, files, project),
  write: (settings) =>
    replaceFile(files, join(folder, "config.json"), Buffer.from(`${JSON.stringify(settings, null, 2)}\n`)),
});

/** Reads settings with warnings instead of errors: an invalid file counts as empty, an invalid value as unset. */
export function readUserSettings(folder: string, files: FileSystem, project: string | null = null): ReadSettings {
  const path = join(folder, "config.json");
  const bytes = readSmall(files, path, MAX_SETTINGS_BYTES);
  if (bytes === null) return { ...NOTHING, found: {} };
  try {
    const found: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(found)) return unreadable(`${path} is not used: it is not a JSON object.`);
    const { settings: general, bad } = parseUserSettings(found);
    const here = project === null ? NONE_HERE : readHere(found, project);
    const warnings = [...bad, ...here.bad].map((key) => `${path}: ${key} has no valid value and is not used.`);
    return { settings: { ...general, ...here.settings }, general, here: here.settings, warnings, found, bad };
  } catch {
    return unreadable(`${path} is not used: it is not JSON.`);
  }
}

type Here = { readonly settings: UserSettings; readonly bad: readonly string[] };

const NONE_HERE: Here = { settings: {}, bad: [] };

/** Reads the user's settings for one project. Only settings for agents and limits are allowed there. */
function readHere(found: unknown, project: string): Here {
  const values = ownValue(ownValue(found, "projects"), project);
  if (!isRecord(values)) return NONE_HERE;
  const own = Object.entries(values).filter(([key]) => isProjectSetting(key));
  const others = Object.keys(values).filter((key) => !isProjectSetting(key));
  const { settings, bad } = parseUserSettings(Object.fromEntries(own));
  return { settings, bad: [...bad, ...others].map((key) => `${key} of ${project}`) };
}

const NOTHING: Omit<ReadSettings, "found"> = { settings: {}, general: {}, here: {}, warnings: [], bad: [] };

const unreadable = (warning: string): ReadSettings => ({ ...NOTHING, warnings: [warning], found: null });
