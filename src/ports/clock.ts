/** Time, so that tests can hold it in their hands. */
export interface Clock {
  /** Wall time as ISO 8601 with milliseconds; information only, never used for order. */
  now(): string;
}
