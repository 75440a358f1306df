/** What git would start by itself in this working tree, as hooks and settings that name a program do, or take from elsewhere. */
export interface GitPrograms {
  /** Remembers what there is before an agent writes; the first time counts. */
  remember(): Promise<void>;
  /** What is new or other since then, each with the command that takes it away. */
  added(): Promise<readonly string[]>;
  /** What a commit of ours leaves out because nobody agreed to it; each as a sentence. */
  leftOut(): Promise<readonly string[]>;
}

/** A hook or a setting of the repository, and what it would run. */
export type GitProgram = { readonly name: string; readonly digest: string };

/** What a person agreed to that the repository's own hooks and settings start when something is committed or merged. */
export interface TrustedGitPrograms {
  /** What is there and would not be run. */
  untrusted(): Promise<readonly GitProgram[]>;
  trust(programs: readonly GitProgram[]): void;
}
