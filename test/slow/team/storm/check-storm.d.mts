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
