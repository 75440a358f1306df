import * as z from "zod/mini";
import { Choice, StartRequest } from "./api-project.ts";
import { RunId } from "./plan.ts";

/** Requests of users' programs and workers to a team server, in addition to `api.ts`. */
const text = (most: number) => z.string().check(z.maxLength(most));

/**
 * Roles of a user in a repository. A viewer reads, a reviewer also starts runs and answers, an admin also assigns
 * roles.
 */
export const ROLES = ["viewer", "reviewer", "admin"] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
export const isRole = (text: string): text is Role => Role.safeParse(text).success;

/** Owner of a token, and public keys to recognize decisions of this server. */
export const TeamView = z.object({
  version: z.string(),
  person: z.string(),
  /** PEM. */
  keys: z.array(z.string()),
  repositories: z.array(z.object({ name: z.string(), remote: z.string(), role: z.nullable(Role) })),
});
export type TeamView = z.infer<typeof TeamView>;

export const MemberRow = z.object({ person: z.string(), role: Role });
export type MemberRow = z.infer<typeof MemberRow>;
export const MemberList = z.object({ members: z.array(MemberRow) });
export type MemberList = z.infer<typeof MemberList>;
/** A null role removes the current role. */
export const MemberChange = z.strictObject({ person: text(63), role: z.nullable(Role) });
export const PageMemberChange = z.extend(MemberChange, { repository: text(100) });

/** Rules for answers in a repository, and for those who give them. Set on the server's machine. */
export const RepositoryPolicy = z.object({
  repository: z.string(),
  remote: z.string(),
  /** The author of a run cannot accept its phases. */
  isFourEyes: z.boolean(),
  /** A second worker repeats the checks of the last phase. */
  isRechecked: z._default(z.boolean(), false),
  /** Phases that only these users accept. All other phases can be accepted by every reviewer. */
  reviewers: z.array(z.object({ phase: z.string(), people: z.array(z.string()) })),
  members: z.array(MemberRow),
});
export type RepositoryPolicy = z.infer<typeof RepositoryPolicy>;

const tokenName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,40}$/));
/** A user's token for their scripts. */
export const PersonalToken = z.strictObject({ name: tokenName, days: z.number().check(z.gt(0), z.lte(366)) });
export const TokenMade = z.object({ token: z.string() });
export type TokenMade = z.infer<typeof TokenMade>;
export const TokenRow = z.object({
  name: z.string(),
  createdAt: z.string(),
  expiresAt: z.nullable(z.string()),
  revokedAt: z.nullable(z.string()),
});
export type TokenRow = z.infer<typeof TokenRow>;
export const TokenList = z.object({ tokens: z.array(TokenRow) });
export type TokenList = z.infer<typeof TokenList>;
export const TokenRevocation = z.strictObject({ name: text(63) });
export const TokenRevocationResult = z.object({ isRevoked: z.boolean() });
export type TokenRevocationResult = z.infer<typeof TokenRevocationResult>;

const objectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** Name that git cannot read as an option, another revision or a path outside of the refs. */
export const RefName = text(300).check(
  z.regex(/^(?![-/.])[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u),
  z.refine((name) => !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)/.test(name)),
);

/** Branch with discarded work that is still on the remote. */
export const LeftBranch = z.object({
  branch: RefName,
  /** Last commit of the run on the branch. Null if someone else has moved the branch since. */
  tip: z.nullable(objectId),
  why: text(500),
});
export type LeftBranch = z.infer<typeof LeftBranch>;

/** A run in the team's list. */
export const TeamRunRow = z.object({
  run: RunId,
  repository: z.string(),
  title: z.string(),
  begunBy: z.string(),
  rests: z.enum(["action", "wait", "ended"]),
  wait: z.nullable(z.string()),
  phase: z.nullable(z.string()),
  /** Worker that drives the run, if any. */
  worker: z.nullable(z.string()),
  /** Why no worker could start the run. Null if it was started or can still be started. */
  refused: z.nullable(z.string()),
  /** Choices required before the run can start. `refused` then describes them in words. */
  choices: z._default(z.array(Choice), []),
  /** Remote refs with work of lost workers. This work does not count. */
  kept: z._default(z.array(z.string()), []),
  /**
   * Description of the user's place that received the run, and the user who moved it. Null while it belongs to the
   * team.
   */
  movedTo: z._default(z.nullable(z.string()), null),
  movedBy: z._default(z.nullable(z.string()), null),
  /** User who cancelled the run before a worker started it. `refused` then describes this in words. */
  cancelledBy: z._default(z.nullable(z.string()), null),
  /** Branch that the discard could not delete. Null if it deleted everything, or if the run was not discarded. */
  leftBranch: z._default(z.nullable(LeftBranch), null),
  /** Time since which the run waits for the git host. Null if it does not wait. */
  hostSince: z._default(z.nullable(z.string()), null),
});
export type TeamRunRow = z.infer<typeof TeamRunRow>;
export const TeamRunList = z.object({ runs: z.array(TeamRunRow) });

/** Output of agents, in order of arrival. Not part of the journal. */
const execution = z.string().check(z.regex(/^[a-z0-9][a-z0-9#.@-]{0,120}$/));
const saidLines = z.array(text(4000)).check(z.maxLength(200));
export const Activity = z.strictObject({ epoch: z.int(), execution, lines: saidLines });
export type Activity = z.infer<typeof Activity>;
export const TeamActivity = z.object({
  said: z.array(z.object({ number: z.number(), execution: z.string(), lines: z.array(z.string()) })),
});
export type TeamActivity = z.infer<typeof TeamActivity>;

/** Lines of a journal, without newlines. For lines from elsewhere, the server's countersignature by hash. */
export const JournalLines = z.object({
  lines: z.array(z.string()),
  countermarks: z._default(z.record(z.string(), z.string()), {}),
});
export type JournalLines = z.infer<typeof JournalLines>;

export const TeamStart = z.strictObject({ repository: text(100), start: StartRequest });
export type TeamStart = z.infer<typeof TeamStart>;
export const TeamStarted = z.object({ run: RunId });

/** The working tree as pushed by a driver: a snapshot, the commit of HEAD, and every named snapshot. */
export const LeftTree = z.strictObject({
  snapshot: objectId,
  head: objectId,
  branch: z.nullable(RefName),
  names: z.record(RefName, objectId),
});
export type LeftTree = z.infer<typeof LeftTree>;

/** Random id of a worker's process. Several processes may use one token. */
const instance = text(100);

/** Heartbeat of a worker's process, with its current runs. */
export const Beat = z.strictObject({
  instance,
  /** Exited process that used the same data folder. Its runs are available at once. */
  replaces: z._default(z.nullable(instance), null),
  runs: z.array(RunId).check(z.maxLength(1000)),
  /** Journal generation that the worker can read and write. A server requests drives in its own generation. */
  generation: z._default(z.int(), 1),
  version: z._default(text(50), ""),
  /** Why the process takes no runs, such as a full disk or a missing program. Null if it takes runs. */
  fault: z._default(z.nullable(text(500)), null),
  /** Held runs whose finished work waits for the git host. */
  waiting: z._default(
    z.array(z.strictObject({ run: RunId, epoch: z.int(), error: text(500) })).check(z.maxLength(1000)),
    [],
  ),
});
export type Beat = z.infer<typeof Beat>;
export const BeatAnswer = z.object({
  /** Runs still leased to the worker, with the last event of each. */
  held: z.array(z.object({ run: RunId, epoch: z.int(), seq: z.int() })),
});
export type BeatAnswer = z.infer<typeof BeatAnswer>;

/** Maximum number of runs in one request. */
export const MAX_ASKED = 1000;
export const EndedRequest = z.strictObject({ runs: z.array(RunId).check(z.maxLength(MAX_ASKED)) });
export const EndedAnswer = z.object({
  /** Runs that ended. */
  ended: z.array(RunId),
});

/** Request for the next run of the queue. A repeated request with the same claim gets the same lease. */
export const ClaimRequest = z.strictObject({
  instance,
  /** Random value, new for each lease. */
  claim: z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  /** Labels of the repositories that the worker takes, in addition to repositories without a label. */
  labels: z.array(text(40)).check(z.maxLength(50)),
  generation: z.int(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;
export const Lease = z.object({
  run: RunId,
  epoch: z.int(),
  remote: z.string(),
  left: z.nullable(LeftTree),
  /** Start request and its author, for a run that has not started yet. */
  start: StartRequest,
  begunBy: z.string(),
});
export type Lease = z.infer<typeof Lease>;
export const ClaimAnswer = z.object({
  /** Null if no run is due, or if the process drives its maximum number of runs. */
  lease: z.nullable(Lease),
  /** Maximum number of parallel runs of one process. */
  drives: z.int(),
  /** Milliseconds until the next request of the worker. */
  pollAfter: z.int(),
});
export type ClaimAnswer = z.infer<typeof ClaimAnswer>;

/** Request to reserve a branch or an item number for a run that is about to start. */
export const NameRequest = z.strictObject({ epoch: z.int(), name: text(300) });
export const NameAnswer = z.object({
  /** False if another run has the name. */
  drawn: z.boolean(),
});

/** Result reported by a worker. This schema checks only `do`; the rules of the core check the rest. */
export const WorkerReport = z.strictObject({
  command: z.looseObject({ do: z.enum(["report", "start"]) }),
  epoch: z.int(),
  /** Request id. Repeated requests with the same id are recorded once. */
  request: text(100),
  /** Last event known to the worker. */
  after: z.int(),
  left: z.nullable(LeftTree),
});
export const ReportAnswer = z.object({
  ok: z.boolean(),
  lines: z.array(z.string()),
  /** Refusal by the rules of the core, for the sender of the command. */
  refusal: z.optional(z.looseObject({ why: z.string() })),
});
export type ReportAnswer = z.infer<typeof ReportAnswer>;

/** Request to merge a run driven by the worker. The server reads everything else from the journal. */
export const MergeRequest = z.strictObject({ epoch: z.int() });
export const MergeAnswer = z.object({
  /** False while the merge is running. The worker then repeats the request. */
  isDone: z.boolean(),
  /** Last event of the run. */
  seq: z.int(),
  /** Why the git host rejected the merge for now. */
  hostFailure: z._default(z.nullable(z.string()), null),
});
export type MergeAnswer = z.infer<typeof MergeAnswer>;

/**
 * Why a worker does not continue a run: the worker drains, the drive was interrupted, the git host does not answer,
 * the worker's machine has a fault, or the run cannot be started.
 */
export const GiveBack = z.strictObject({
  epoch: z.int(),
  why: z.enum(["drains", "broken", "host", "worker", "refused"]),
  detail: text(2000),
  /** Choices that a user must make before the run can be started. */
  choices: z._default(z.array(Choice).check(z.maxLength(20)), []),
});
export type GiveBack = z.infer<typeof GiveBack>;
export type GivenBack = z.input<typeof GiveBack>;

/** Commit with work that a worker had not pushed when it was fenced. */
export const KeptWork = z.strictObject({ epoch: z.int(), commit: objectId });
export type KeptWork = z.infer<typeof KeptWork>;

/** Branch left over after the end of a run, if any. */
export const LeftBranchNote = z.strictObject({ epoch: z.int(), left: z.nullable(LeftBranch) });
export type LeftBranchNote = z.infer<typeof LeftBranchNote>;

/** Returns the remote ref of unpushed work saved by a fenced worker. */
export const keptRef = (run: string, epoch: number): string => `refs/isdlc/${run}/kept-e${epoch}`;

/** Returns the remote ref of discarded work. */
export const discardedRef = (run: string): string => `refs/isdlc/${run}/discarded`;
