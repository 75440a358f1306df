/** An answer that the server acknowledged. */
export type AcknowledgedAnswer = {
  readonly run: string;
  readonly wait: string;
  readonly kind: string;
  readonly option: string;
  readonly by: string;
};

export type DecisionRow = {
  readonly run: string;
  readonly seq: number;
  readonly line: string;
  readonly sender_kind: string;
  readonly sender: string;
};

export type Evidence = {
  /** Runs that the server acknowledged. */
  readonly runs: readonly string[];
  readonly decisions: readonly DecisionRow[];
  readonly answers: readonly AcknowledgedAnswer[];
  /** Commits that people pushed to main. */
  readonly pushes: readonly string[];
  /** Processes and folders that exist after the storm. */
  readonly leftovers: readonly string[];
};

export function checkStorm(remote: string, evidence: Evidence): string[];

/** Planned faults, and those that hit a process with a lease. */
export type Faults = {
  readonly wanted: Readonly<Record<string, number>>;
  readonly hits: Readonly<Record<string, number>>;
};
export function checkFaults(faults: Faults): string[];

/** Milliseconds per takeover, the most at p99, and the number that the storm must have reached. */
export type Takeovers = { readonly took: readonly number[]; readonly most: number; readonly atLeast: number };
export function checkTakeovers(takeovers: Takeovers): string[];
export function takeoverP99(took: readonly number[]): number;
