import type { UserSettings } from "../schema/user-settings.ts";
import type { RunId } from "../schema/ids.ts";
import type { Reply } from "../schema/agent.ts";
import type { RunAgents } from "../schema/run-agents.ts";

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
  /**
   * Reads the settings for an open run. Those for approvals, variables and notifications apply as at its first call, or
   * as changed by `write` since: an agent without a sandbox can edit the file.
   */
  readForRun(run: string): ReadSettings;
  /** Reads the settings for the run of the last `readForRun`, or without one like `read`. */
  readNow(): ReadSettings;
  /** Writes the settings, by a decision of the user. */
  write(settings: Readonly<Record<string, unknown>>): void;
  /** Applies the current file to the open run, after the user edited it. */
  accept(): void;
}

/** A user's decisions about one working tree, stored outside of it. */
export interface TrustStore {
  agents(run: RunId): RunAgents | null;
  rememberAgents(run: RunId, agents: RunAgents): void;
  trusts(digest: string): boolean;
  trust(digest: string): void;
  /** Returns every trusted digest of this working tree. */
  trusted(): readonly string[];
  /** Returns the permissions of tests here, in the form in which a user granted them. */
  testNeeds(): readonly string[];
  allowTests(needs: readonly string[]): void;
  /** Returns the replies given so far to these questions. Only those to the newest questions are saved. */
  keptReplies(questions: string): readonly Reply[];
  /** Saves replies. An empty list deletes all saved replies. */
  keepReplies(questions: string, given: readonly Reply[]): void;
}
