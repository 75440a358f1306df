import type { ProcessIdentity, ProcessView } from "../schema/facts.ts";
import type { Person } from "../schema/people.ts";
import type { PasskeyKey } from "../schema/passkey.ts";

/** Caller of this program, as far as isdlc can detect. An agent that hides well looks like a suspicious person. */
export type Caller =
  | { readonly kind: "agent"; readonly evidence: string }
  | { readonly kind: "person"; readonly person: Person }
  /** The terminal may have been opened by an agent: another way to answer is needed. */
  | { readonly kind: "suspect"; readonly why: string }
  /** The ancestors of this process are not visible, and an agent may be among them. */
  | { readonly kind: "unknown"; readonly why: string }
  /** No terminal: a script, a job, or a person who provides a token. */
  | { readonly kind: "nobody" };

/** Wall times in milliseconds. `until` is null while the period lasts. */
export type Span = { readonly since: number; readonly until: number | null };

/** Agent activity in the runs of a working tree. Callers are assessed by it. */
export type AgentWork = {
  /** Processes recorded by a run as its own. A run started every descendant of them. */
  readonly drivers: readonly ProcessIdentity[];
  /** Wall time in milliseconds when agents last started to work. Null if no agent worked. */
  readonly agentRunningSince: number | null;
  /** End of that time. Missing or null while agents work. */
  readonly agentRunningUntil?: number | null;
  /** Earlier periods of this run in which agents were running. */
  readonly earlierWork?: readonly Span[];
  /** Live processes of agent sessions that worked on the run. They can act at any time. */
  readonly livingSessions?: readonly number[];
  /** Process view of the process that started the run. Missing if unknown. */
  readonly startedIn?: ProcessView;
};

/** The current process and its ancestors. */
export interface Callers {
  identify(work: AgentWork): Caller;
  /** Identifies another process, such as the one of an agent session. */
  identifyProcess(pid: number, work: AgentWork): Caller;
  /** Returns why this process may be a disguised agent. Null without any sign of it. */
  suspicion(work: AgentWork): string | null;
  /** Returns the origin of an answer without a terminal. */
  origin(): NonNullable<Person["origin"]>;
  /** Returns this process's view of other processes. Null if the system has no namespaces or does not show them. */
  view(): ProcessView | null;
  /** Returns the identity of a live process for a claim. Null if the process exited. */
  processAt(pid: number): ProcessIdentity | null;
  /** Returns true while this exact process is alive, and not another one with the same pid. */
  isAlive(process: ProcessIdentity): boolean;
}

export type TokenCheck =
  /** `createdAt`: a token created while a run is open is not accepted for this run. */
  { readonly ok: true; readonly createdAt: string } | { readonly ok: false; readonly detail: string };

/** The user's approval token. Only its digest is stored. */
export interface OperatorTokens {
  verify(token: string): TokenCheck;
  /** Returns the creation time of the current token, if it exists. */
  createdAt(): string | null;
  /** Returns the change time of the token file, if it exists, by the system's own clock, which cannot be backdated. */
  changedAt(): string | null;
  /** Creates a token, replaces an earlier one, and returns the new token only this once. */
  create(now: string): string;
}

export type Passkey = PasskeyKey & {
  /** Name given by the user. */
  readonly name: string;
  readonly createdAt: string;
  /** Number of signatures counted by the authenticator. 0 if it does not count. */
  readonly counter: number;
};

/** The user's registered passkeys; public keys only. */
export interface Passkeys {
  /** @throws ProblemError SETTINGS_UNREADABLE if the file is invalid, because isdlc must not guess who may decide. */
  list(): readonly Passkey[];
  /** Adds a passkey, or replaces the one with the same id. */
  keep(passkey: Passkey): void;
  remove(id: string): void;
}
