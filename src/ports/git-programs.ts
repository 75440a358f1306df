/** What git would start by itself in this working tree: hooks, and settings that name a program. */
export interface GitPrograms {
  /** Remembers what there is before an agent writes; the first time counts. */
  remember(): Promise<void>;
  /** What is new or other since then, each with the command that takes it away. */
  added(): Promise<readonly string[]>;
}
