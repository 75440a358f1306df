/** What an agent can leave behind outside of any diff: tags, ignored files, and settings of the user. */
export interface Traces {
  /** Records the state known to the user: at first the current one, later the one that the last gate described. */
  accept(): Promise<void>;
  /** Returns sentences about changes since then. */
  left(): Promise<readonly string[]>;
}
