import type { UserSettings } from "../schema/user-settings.ts";

export type ReadSettings = {
  /** Effective settings: those for this project override the general ones. */
  readonly settings: UserSettings;
  readonly general: UserSettings;
  readonly here: UserSettings;
  readonly warnings: readonly string[];
  /** The complete file. Null if it cannot be parsed. */
  readonly found: Readonly<Record<string, unknown>> | null;
  /** Known settings with an invalid value. */
  readonly bad: readonly string[];
};

/** A user's settings, general or for one project. Never stored in a repository. */
export interface SettingsStore {
  readonly file: string;
  /** Name of this project in the file. */
  readonly project: string;
  /** Reads the settings. Fails open, with warnings: an invalid file counts as empty, an invalid value as not set. */
  read(): ReadSettings;
  write(settings: Readonly<Record<string, unknown>>): void;
}
