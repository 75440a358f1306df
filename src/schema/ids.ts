/** Name that is safe as a file name on every system: no separators, no leading dot or dash, no trailing dot. */
export const SAFE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;
const RESERVED_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Returns true if a name may be used for a file, a folder or a part of a branch name. */
export function isSafeName(text: string): boolean {
  return SAFE_NAME.test(text) && !text.includes("..") && !RESERVED_NAME.test(text);
}

/** String type for one kind of id. Assignable from any plain string, but not from another kind. */
type Id<Kind extends string> = string & { readonly __kind?: Kind };

/** `20261115-101500123-k3f9`: sorts by start time of the run. */
export type RunId = Id<"run">;
export const RUN_ID = /^[0-9]{8}-[0-9]{9}-[a-z0-9]{4}$/;
export const isRunId = (value: unknown): value is RunId => typeof value === "string" && RUN_ID.test(value);

/** `03-architecture`, or a plain word in workflows without numbers. */
export type PhaseKey = string;
export const PHASE_KEY = /^[a-z0-9][a-z0-9-]{0,48}$/;
export const isPhaseKey = (value: unknown): value is PhaseKey => typeof value === "string" && PHASE_KEY.test(value);

/** `03-architecture#2`: the second attempt at a phase in this run. */
export type AttemptId = Id<"attempt">;

/** Required in every outcome: the attempt, and the sequence number of the event that started its step. */
export type Ticket = Id<"ticket">;

/** Id of a wait. An answer names the wait it answers. */
export type WaitId = Id<"wait">;

/** Id of one execution of an agent. */
export type ExecutionId = Id<"execution">;

export type CommitId = Id<"commit">;

/** Git tree to read files from: a snapshot of the working tree, or the tree of an existing or future commit. */
export type TreeId = Id<"tree">;

/** Returns a commit as a tree id, because git reads files from a commit too. */
export function treeAt(commit: CommitId): TreeId;
export function treeAt(commit: CommitId | null): TreeId | null;
export function treeAt(commit: string | null): TreeId | null {
  return commit;
}

export const attemptId = (phase: PhaseKey, number: number): AttemptId => `${phase}#${number}`;

/** Returns `03-architecture#2/gate-41`: the attempt, the kind of wait, and the number of the event that opened it. */
export const waitId = (attempt: AttemptId | null, kind: string, seq: number): WaitId =>
  `${attempt ?? "run"}/${kind}-${seq}`;

/** Returns phase and number of an attempt or of a wait in it, or null outside of phases. */
export function attemptParts(id: AttemptId | WaitId): { readonly phase: PhaseKey; readonly number: number } | null {
  const [, phase, number] = /^([^/]+)#([0-9]+)(?:\/|$)/.exec(id) ?? [];
  return phase === undefined ? null : { phase, number: Number(number) };
}

/** Returns the two digits of a phase (`03`), or the whole key if it has none. */
export function phaseNumber(key: PhaseKey): string {
  const dash = key.indexOf("-");
  const head = dash === -1 ? key : key.slice(0, dash);
  return /^[0-9]{2}$/.test(head) ? head : key;
}
