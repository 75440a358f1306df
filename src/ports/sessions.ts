/**
 * Activity of the agent sessions that work in this tree. For convenience only, not evidence: a session could write
 * these files itself.
 */
export interface Sessions {
  /** Records that the session starts to work on a phase. */
  begin(id: string): void;
  /** Returns the milliseconds since the last activity of the session or its hooks. Null without any activity. */
  silentFor(id: string): number | null;
  /** Returns true if the session's hooks ran after it started its phase. */
  isGuarded(id: string): boolean;
}
