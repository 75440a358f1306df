/** Safe as a file name on every system: no separators, no leading dot or dash, no trailing dot. */
export const SAFE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;
const RESERVED_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** True for a name that may become a file, folder or branch part. */
export function isSafeName(text: string): boolean {
  return SAFE_NAME.test(text) && !text.includes("..") && !RESERVED_NAME.test(text);
}

/** Text that stands for one kind of thing: fits where plain text does, and never where another kind is meant. */
type Id<Kind extends string> = string & { readonly __kind?: Kind };

/** `20261115-101500123-k3f9`: sorts by the time the run was started. */
export type RunId = Id<"run">;
export const RUN_ID = /^[0-9]{8}-[0-9]{9}-[a-z0-9]{4}$/;
export const isRunId = (value: unknown): value is RunId => typeof value === "string" && RUN_ID.test(value);

/** `03-architecture`, or a bare word in workflows without numbers. */
export type PhaseKey = string;
export const PHASE_KEY = /^[a-z0-9][a-z0-9-]{0,48}$/;
export const isPhaseKey = (value: unknown): value is PhaseKey => typeof value === "string" && PHASE_KEY.test(value);

/** `03-architecture#2`: the second attempt at a phase in this run. */
export type AttemptId = Id<"attempt">;

/** What an outcome must name: the attempt, and the sequence number of the event that opened its step. */
export type Ticket = Id<"ticket">;

/** Of a wait: an answer names the one it answers. */
export type WaitId = Id<"wait">;

/** Of one run of an agent's program. */
export type ExecutionId = Id<"execution">;

/** A commit of the repository. */
export type CommitId = Id<"commit">;

/** What files are read from: a snapshot of the working tree, or the tree that a commit has or is to have. */
export type TreeId = Id<"tree">;

/** Files can be read from a commit too. */
export function treeAt(commit: CommitId): TreeId;
export function treeAt(commit: CommitId | null): TreeId | null;
export function treeAt(commit: string | null): TreeId | null {
  return commit;
}

export const attemptId = (phase: PhaseKey, number: number): AttemptId => `${phase}#${number}`;

/** `03-architecture#2/gate-41`: the attempt, what is waited for, and the number of the event that opened the wait. */
export const waitId = (attempt: AttemptId | null, kind: string, seq: number): WaitId =>
  `${attempt ?? "run"}/${kind}-${seq}`;

/** What an attempt, or a wait of one, is about; null outside of phases. */
export function attemptParts(id: AttemptId | WaitId): { readonly phase: PhaseKey; readonly number: number } | null {
  const [, phase, number] = /^([^/]+)#([0-9]+)(?:\/|$)/.exec(id) ?? [];
  return phase === undefined ? null : { phase, number: Number(number) };
}

/** The two digits people use for a phase (`03`), or the whole key where it has none. */
export function phaseNumber(key: PhaseKey): string {
  const dash = key.indexOf("-");
  const head = dash === -1 ? key : key.slice(0, dash);
  return /^[0-9]{2}$/.test(head) ? head : key;
}
