import type { UserSettings } from "../schema/user-settings.ts";

export type ReadSettings = {
  /** As they hold here: what was set for this project comes before what was set for every one. */
  readonly settings: UserSettings;
  readonly general: UserSettings;
  readonly here: UserSettings;
  readonly warnings: readonly string[];
  /** The whole file as it is; null where it cannot be understood. */
  readonly found: Readonly<Record<string, unknown>> | null;
  /** Known settings with a value that means nothing. */
  readonly bad: readonly string[];
};

/** A person's own settings, for every project or for one; never in a repository. */
export interface SettingsStore {
  readonly file: string;
  /** What this project is called in it. */
  readonly project: string;
  /** Settings fail open, visibly: a bad file counts as empty, a bad value as not set. */
  read(): ReadSettings;
  write(settings: Readonly<Record<string, unknown>>): void;
}
