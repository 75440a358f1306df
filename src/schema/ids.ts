/** Safe as a file name on every system: no separators, no leading dot or dash, no trailing dot. */
export const SAFE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;
const RESERVED_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** True for a name that may become a file, folder or branch part. */
export function isSafeName(text: string): boolean {
  return SAFE_NAME.test(text) && !text.includes("..") && !RESERVED_NAME.test(text);
}

/** `20261115-101500123-k3f9`: sorts by the time the run was started. */
export type RunId = string;
export const RUN_ID = /^[0-9]{8}-[0-9]{9}-[a-z0-9]{4}$/;
export const isRunId = (value: unknown): value is RunId => typeof value === "string" && RUN_ID.test(value);

/** `03-architecture`, or a bare word in workflows without numbers. */
export type PhaseKey = string;
export const PHASE_KEY = /^[a-z0-9][a-z0-9-]{0,48}$/;
export const isPhaseKey = (value: unknown): value is PhaseKey => typeof value === "string" && PHASE_KEY.test(value);

/** `03-architecture#2`: the second attempt at a phase in this run. */
export type AttemptId = string;

/** What an outcome must name: the attempt, and the sequence number of the event that opened its step. */
export type Ticket = string;

export const attemptId = (phase: PhaseKey, number: number): AttemptId => `${phase}#${number}`;

/** The two digits people use for a phase (`03`), or the whole key where it has none. */
export function phaseNumber(key: PhaseKey): string {
  const dash = key.indexOf("-");
  const head = dash === -1 ? key : key.slice(0, dash);
  return /^[0-9]{2}$/.test(head) ? head : key;
}
