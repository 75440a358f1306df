/** Source of time, which tests can replace. */
export interface Clock {
  /** Returns wall time as ISO 8601 with milliseconds. Information only, never used for order. */
  now(): string;
}
