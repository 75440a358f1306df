import type { ProcessIdentity, ProcessView } from "../schema/facts.ts";
import type { Person } from "../schema/people.ts";

/** Who runs this program, as far as it can be told. An agent that hides well looks like a suspicious person. */
export type Caller =
  | { readonly kind: "agent"; readonly evidence: string }
  | { readonly kind: "person"; readonly person: Person }
  /** At a terminal that an agent may have opened: another way to answer is needed. */
  | { readonly kind: "suspect"; readonly why: string }
  /** The processes above it cannot be seen, so an agent can be among them. */
  | { readonly kind: "unknown"; readonly why: string }
  /** No terminal: a script, a job, or a person who gives a token. */
  | { readonly kind: "nobody" };

/** Wall times in milliseconds; `until` is null while it lasts. */
export type Span = { readonly since: number; readonly until: number | null };

/** What agents did in the runs of a working tree: whoever calls is measured by it. */
export type AgentWork = {
  /** Processes that a run recorded as its own: whoever descends from one was started by a run. */
  readonly drivers: readonly ProcessIdentity[];
  /** Wall time in milliseconds at which agents last began to work; null without any. */
  readonly agentRunningSince: number | null;
  /** When they ended; left out or null while they work. */
  readonly agentRunningUntil?: number | null;
  /** When agents were at work earlier in this run. */
  readonly earlierWork?: readonly Span[];
  /** Processes of agent sessions that worked on the run and are alive: they can do anything at any time. */
  readonly livingSessions?: readonly number[];
  /** View of the process that started the run; left out if it is unknown. */
  readonly startedIn?: ProcessView;
};

/** The process we are, and those it descends from. */
export interface Callers {
  identify(work: AgentWork): Caller;
  /** The same for another process, such as the one an agent session lives in. */
  identifyProcess(pid: number, work: AgentWork): Caller;
  /** Why this process may be an agent's in disguise; null where nothing speaks for it. */
  suspicion(work: AgentWork): string | null;
  /** Where an answer without a terminal comes from. */
  origin(): NonNullable<Person["origin"]>;
  /** What this process can see of others; null if the system has no namespaces or does not show them. */
  view(): ProcessView | null;
  /** How a living process is named in a claim; null when it is gone. */
  processAt(pid: number): ProcessIdentity | null;
  /** True while that very process lives, and not another with its number. */
  isAlive(process: ProcessIdentity): boolean;
}

export type TokenCheck =
  /** `createdAt`: one made while a run is open is not accepted for that run. */
  { readonly ok: true; readonly createdAt: string } | { readonly ok: false; readonly detail: string };

/** The approval token of this user, of which only a digest is kept. */
export interface OperatorTokens {
  verify(token: string): TokenCheck;
  /** When the current one was made; null when there is none. */
  createdAt(): string | null;
  /** When its file last changed by the system's own clock, which nobody can date back; null when there is none. */
  changedAt(): string | null;
  /** Makes one in place of an earlier one, and tells it this once. */
  create(now: string): string;
}
