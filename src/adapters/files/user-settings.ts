import * as z from "zod/mini";
import { join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { ReadSettings, SettingsStore } from "../../ports/user-settings.ts";
import { isProjectSetting, parseUserSettings, type UserSettings } from "../../schema/user-settings.ts";
import { type FileSystem, readSmall, replaceFile } from "./file-system.ts";

const MAX_USER_SETTINGS_BYTES = 64 * 1024;

export type SettingsPlace = {
  /** The user's configuration folder. */
  readonly folder: string;
  /** Name of the project in the file. */
  readonly project: string;
  /** File for the settings of the open run, in the user's state folder. */
  readonly ofRun: string;
};

/** Stores `config.json` in the user's configuration folder, and reads it for one project. */
export function createSettingsStore({ folder, project, ofRun }: SettingsPlace, files: FileSystem): SettingsStore {
  const file = join(folder, "config.json");
  const read = (): ReadSettings => readUserSettings(folder, files, project);
  const fixed = createFixedSettings(ofRun, files);
  let openRun: string | null = null;
  return {
    file,
    project,
    read,
    readForRun(run) {
      openRun = run;
      return fixed.apply(run, read(), file);
    },
    readNow: () => (openRun === null ? read() : fixed.apply(openRun, read(), file)),
    write(settings) {
      const before = read();
      replaceFile(files, file, Buffer.from(`${JSON.stringify(settings, null, 2)}\n`));
      fixed.change(before, read());
    },
    accept: () => fixed.accept(read()),
  };
}

/** Reads settings with warnings instead of errors: an invalid file counts as empty, an invalid value as unset. */
export function readUserSettings(folder: string, files: FileSystem, project: string | null = null): ReadSettings {
  const path = join(folder, "config.json");
  const bytes = readSmall(files, path, MAX_USER_SETTINGS_BYTES);
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

/** Settings that would give the agents of an open run more rights, or the user less information. */
const FIXED = [
  ...(["approvals", "agent-variables", "git-variables", "watch-startup-files", "notify"] as const),
  ...(["webhook", "webhook-secret", "webhook-form"] as const),
] as const;

const RunSettings = z.object({ run: z.string(), content: z.string(), fixed: z.record(z.string(), z.unknown()) });
type RunSettings = z.infer<typeof RunSettings>;

const MAX_KEPT_BYTES = 256 * 1024;

/** Settings that stay as they were when a run started, until the user changes them by a command. */
type FixedSettings = {
  apply(run: string, now: ReadSettings, file: string): ReadSettings;
  /** Applies the differences between two states of the file, made by a command. */
  change(before: ReadSettings, now: ReadSettings): void;
  /** Applies the whole file. */
  accept(now: ReadSettings): void;
};

function createFixedSettings(path: string, files: FileSystem): FixedSettings {
  const read = (): RunSettings | null => {
    const found = z.safeParse(RunSettings, parseJson(readSmall(files, path, MAX_KEPT_BYTES)));
    return found.success ? found.data : null;
  };
  const keep = (kept: RunSettings): void => replaceFile(files, path, Buffer.from(JSON.stringify(kept)));
  const accept = (now: ReadSettings): void => {
    const kept = read();
    if (kept !== null) keep({ ...kept, content: contentOf(now), fixed: fixedSettings(now) });
  };
  return {
    apply(run, now, file) {
      const kept = read();
      if (kept?.run !== run) {
        keep({ run, content: contentOf(now), fixed: fixedSettings(now) });
        return now;
      }
      if (kept.content === contentOf(now)) return now;
      const fixed = parseUserSettings(kept.fixed).settings;
      const changed = FIXED.filter((key) => JSON.stringify(fixed[key]) !== JSON.stringify(now.settings[key]));
      if (changed.length === 0) return now;
      return {
        ...now,
        settings: withFixed(now.settings, fixed),
        warnings: [...now.warnings, ...changed.map(keptLine(file))],
      };
    },
    change(before, now) {
      const kept = read();
      if (kept === null) return;
      if (kept.content === contentOf(before)) return accept(now);
      const isChanged = (key: string): boolean =>
        JSON.stringify(fixedSettings(before)[key]) !== JSON.stringify(fixedSettings(now)[key]);
      const others = Object.entries(kept.fixed).filter(([key]) => !isChanged(key));
      const changed = Object.entries(fixedSettings(now)).filter(([key]) => isChanged(key));
      keep({ ...kept, fixed: Object.fromEntries([...others, ...changed]) });
    },
    accept,
  };
}

const keptLine =
  (file: string) =>
  (key: string): string =>
    `${file} was changed while this run was open: its ${key} is not used by this run. To use it now: isdlc config set ${key} <value>`;

const contentOf = ({ found }: ReadSettings): string => JSON.stringify(found);

function fixedSettings({ settings }: ReadSettings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(FIXED.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]])));
}

function withFixed(settings: UserSettings, fixed: UserSettings): UserSettings {
  const isFixed = (key: string): boolean => FIXED.some((name) => name === key);
  const others = Object.entries(settings).filter(([key]) => !isFixed(key));
  return Object.fromEntries([...others, ...Object.entries(fixed)]) as UserSettings; // both were checked by the schema
}

function parseJson(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "null");
  } catch {
    return null; // counts as not recorded
  }
}
