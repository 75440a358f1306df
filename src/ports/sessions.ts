/** Signs of life of the agent sessions that work in this tree. Comfort, not truth: a session could write them itself. */
export interface Sessions {
  /** The session takes a phase over now. */
  begin(id: string): void;
  /** Milliseconds since the session or its hooks were last heard of; null where they never were. */
  silentFor(id: string): number | null;
  /** True when the session's hooks ran after it began its phase. */
  isGuarded(id: string): boolean;
}
