/**
 * Programs that git would start by itself in this working tree: hooks, and settings that name a program or include
 * other settings.
 */
export interface GitPrograms {
  /** Records the existing programs before an agent writes. Only the first call has an effect. */
  remember(): Promise<void>;
  /** Returns new or changed programs since then, each with the command to remove it. */
  added(): Promise<readonly string[]>;
  /** Returns sentences about programs that isdlc commits skip because no user approved them. */
  leftOut(): Promise<readonly string[]>;
}

/** A hook or a setting of the repository, with the digest of the program it would run. */
export type GitProgram = { readonly name: string; readonly digest: string };

/** Hooks and settings of the repository that a user allowed to run at commits and merges. */
export interface TrustedGitPrograms {
  /** Returns the existing programs that would not run. */
  untrusted(): Promise<readonly GitProgram[]>;
  trust(programs: readonly GitProgram[]): void;
}
