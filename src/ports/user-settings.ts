import type { UserSettings } from "../schema/user-settings.ts";

export type ReadSettings = {
  readonly settings: UserSettings;
  readonly warnings: readonly string[];
  /** The whole file as it is; null where it cannot be understood. */
  readonly found: Readonly<Record<string, unknown>> | null;
  /** Known settings with a value that means nothing. */
  readonly bad: readonly string[];
};

/** A person's own settings, for every project; never in a repository. */
export interface SettingsStore {
  readonly file: string;
  /** Settings fail open, visibly: a bad file counts as empty, a bad value as not set. */
  read(): ReadSettings;
  write(settings: Readonly<Record<string, unknown>>): void;
}
