import * as z from "zod/mini";
import { Choice, StartRequest } from "./api-project.ts";
import { RunId } from "./plan.ts";

/** What a team's server is asked by people's programs and by workers, besides what `api.ts` has. */
const text = (most: number) => z.string().check(z.maxLength(most));

/** What a person may do in a repository: look; begin and answer; decide who else may. Each includes those before it. */
export const ROLES = ["viewer", "reviewer", "admin"] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
export const isRole = (text: string): text is Role => Role.safeParse(text).success;

/** Whom a token belongs to, and the keys by which decisions of this server are told from any other. */
export const TeamView = z.object({
  version: z.string(),
  person: z.string(),
  /** Public keys as PEM. */
  keys: z.array(z.string()),
  repositories: z.array(z.object({ name: z.string(), remote: z.string(), role: z.nullable(Role) })),
});
export type TeamView = z.infer<typeof TeamView>;

export const MemberRow = z.object({ person: z.string(), role: Role });
export type MemberRow = z.infer<typeof MemberRow>;
export const MemberList = z.object({ members: z.array(MemberRow) });
export type MemberList = z.infer<typeof MemberList>;
/** Null takes the role away. */
export const MemberChange = z.strictObject({ person: text(63), role: z.nullable(Role) });
export const PageMemberChange = z.extend(MemberChange, { repository: text(100) });

/** What is asked of answers in a repository, and of whom. Set on the server's machine. */
export const RepositoryPolicy = z.object({
  repository: z.string(),
  remote: z.string(),
  /** Who began a run does not accept it. */
  isFourEyes: z.boolean(),
  /** Phases that only these people accept; every reviewer accepts the others. */
  reviewers: z.array(z.object({ phase: z.string(), people: z.array(z.string()) })),
  members: z.array(MemberRow),
});
export type RepositoryPolicy = z.infer<typeof RepositoryPolicy>;

const tokenName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,40}$/));
/** A token for a script of one's own. */
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
export const TokenRevoked = z.object({ isRevoked: z.boolean() });
export type TokenRevoked = z.infer<typeof TokenRevoked>;

const objectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** What git takes for a name and never for an option, another revision or a path outside. */
export const RefName = text(300).check(
  z.regex(/^(?![-/.])[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u),
  z.refine((name) => !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)/.test(name)),
);

/** A branch of work that was given up and is at the remote still. */
export const LeftBranch = z.object({
  branch: RefName,
  /** Where the run left it; null where somebody else has moved it on. */
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
  /** The worker that drives it; null where none does. */
  worker: z.nullable(z.string()),
  /** Why it was not begun; null where it was, or still can be. */
  refused: z.nullable(z.string()),
  /** What has to be chosen before it can be begun; then `refused` says the same in words. */
  choices: z._default(z.array(Choice), []),
  /** Refs at the remote with work of workers that were lost; it does not count. */
  kept: z._default(z.array(z.string()), []),
  /** Whose place it went to, in words, and by whom; null where it is the team's. */
  movedTo: z._default(z.nullable(z.string()), null),
  movedBy: z._default(z.nullable(z.string()), null),
  /** Who cancelled it before a worker began it; then `refused` says the same in words. */
  cancelledBy: z._default(z.nullable(z.string()), null),
  /** What its discard could not delete; null where it deleted all, or is not one. */
  leftBranch: z._default(z.nullable(LeftBranch), null),
  /** Since when the run waits for the git host; null if it does not. */
  hostSince: z._default(z.nullable(z.string()), null),
});
export type TeamRunRow = z.infer<typeof TeamRunRow>;
export const TeamRunList = z.object({ runs: z.array(TeamRunRow) });

/** What agents said, in the order in which it arrived; not part of the journal. */
const execution = z.string().check(z.regex(/^[a-z0-9][a-z0-9#.@-]{0,120}$/));
const saidLines = z.array(text(4000)).check(z.maxLength(200));
export const Activity = z.strictObject({ epoch: z.int(), execution, lines: saidLines });
export type Activity = z.infer<typeof Activity>;
export const TeamActivity = z.object({
  said: z.array(z.object({ number: z.number(), execution: z.string(), lines: z.array(z.string()) })),
});
export type TeamActivity = z.infer<typeof TeamActivity>;

/** Lines of a journal, without the newline; for those that came from elsewhere the server's countermark, by their hash. */
export const JournalLines = z.object({
  lines: z.array(z.string()),
  countermarks: z._default(z.record(z.string(), z.string()), {}),
});
export type JournalLines = z.infer<typeof JournalLines>;

export const TeamStart = z.strictObject({ repository: text(100), start: StartRequest });
export type TeamStart = z.infer<typeof TeamStart>;
export const TeamStarted = z.object({ run: RunId });

/** Where a driver left the tree, as it was pushed: a snapshot of it, where HEAD stands, and every snapshot by its name. */
export const LeftTree = z.strictObject({
  snapshot: objectId,
  head: objectId,
  branch: z.nullable(RefName),
  names: z.record(RefName, objectId),
});
export type LeftTree = z.infer<typeof LeftTree>;

/** Random id of a worker's process. Several processes may use one token. */
const instance = text(100);

/** Heartbeat of a worker's process, with the runs that it drives. */
export const Beat = z.strictObject({
  instance,
  /** The process that used the same data folder before and has exited: its runs are free at once. */
  replaces: z._default(z.nullable(instance), null),
  runs: z.array(RunId).check(z.maxLength(1000)),
  /** Of the journal that it can read and write; a server asks for drives in its own. */
  generation: z._default(z.int(), 1),
  version: z._default(text(50), ""),
  /** Why the process takes no runs: its disk is full, a program is missing. Null if it does. */
  fault: z._default(z.nullable(text(500)), null),
});
export type Beat = z.infer<typeof Beat>;
export const BeatAnswer = z.object({
  /** Those that are still the worker's, with how far each is. */
  held: z.array(z.object({ run: RunId, epoch: z.int(), seq: z.int() })),
});
export type BeatAnswer = z.infer<typeof BeatAnswer>;

/** Runs that a worker asks about at once. */
export const MAX_ASKED = 1000;
export const EndedRequest = z.strictObject({ runs: z.array(RunId).check(z.maxLength(MAX_ASKED)) });
export const EndedAnswer = z.object({
  /** Those that have ended. */
  ended: z.array(RunId),
});

/** Asks for the next run of the queue. Sent again with the same claim, it gets the same lease. */
export const ClaimRequest = z.strictObject({
  instance,
  /** Drawn at random for each lease. */
  claim: z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  /** Labels of repositories that the worker takes, in addition to repositories without one. */
  labels: z.array(text(40)).check(z.maxLength(50)),
  generation: z.int(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;
export const Lease = z.object({
  run: RunId,
  epoch: z.int(),
  remote: z.string(),
  left: z.nullable(LeftTree),
  /** What was asked for, and by whom; for a run that is not begun yet. */
  start: StartRequest,
  begunBy: z.string(),
});
export type Lease = z.infer<typeof Lease>;
export const ClaimAnswer = z.object({
  /** Null if no run is due, or the process drives as many as it may. */
  lease: z.nullable(Lease),
  /** Runs that one process may drive at the same time. */
  drives: z.int(),
  /** Milliseconds until the worker asks again. */
  pollAfter: z.int(),
});
export type ClaimAnswer = z.infer<typeof ClaimAnswer>;

/** A branch or a number of an item, for a run that is about to begin. */
export const NameRequest = z.strictObject({ epoch: z.int(), name: text(300) });
export const NameAnswer = z.object({
  /** False where another run has it. */
  drawn: z.boolean(),
});

/** What a worker found out. Its form beyond `do` is for the rules to judge. */
export const WorkerReport = z.strictObject({
  command: z.looseObject({ do: z.enum(["report", "start"]) }),
  epoch: z.int(),
  /** The same id, however often it is sent, is recorded once. */
  request: text(100),
  /** The last event that the worker knows. */
  after: z.int(),
  left: z.nullable(LeftTree),
});
export const ReportAnswer = z.object({
  ok: z.boolean(),
  lines: z.array(z.string()),
  /** As the rules give it; for whoever sent the command. */
  refusal: z.optional(z.looseObject({ why: z.string() })),
});
export type ReportAnswer = z.infer<typeof ReportAnswer>;

/** The merge of a run that a worker drives. The server takes everything else from the journal. */
export const MergeRequest = z.strictObject({ epoch: z.int() });
export const MergeAnswer = z.object({
  /** False while the merge is running: ask again. */
  isDone: z.boolean(),
  /** The last event of the run. */
  seq: z.int(),
  /** Why the git host did not take the merge for now. */
  hostFailure: z._default(z.nullable(z.string()), null),
});
export type MergeAnswer = z.infer<typeof MergeAnswer>;

/**
 * Why a worker does not continue a run: it drains, the drive broke off, the git host does not answer, the worker's machine
 * has a fault, or the run cannot be begun.
 */
export const GiveBack = z.strictObject({
  epoch: z.int(),
  why: z.enum(["drains", "broken", "host", "worker", "refused"]),
  detail: text(2000),
  /** For a run that cannot be begun before somebody has chosen. */
  choices: z._default(z.array(Choice).check(z.maxLength(20)), []),
});
export type GiveBack = z.infer<typeof GiveBack>;
export type GivenBack = z.input<typeof GiveBack>;

/** Work that a worker had not pushed when it was fenced off, as a commit. */
export const KeptWork = z.strictObject({ epoch: z.int(), commit: objectId });
export type KeptWork = z.infer<typeof KeptWork>;

/** What the end of a run leaves; null where that is nothing. */
export const LeftBranchNote = z.strictObject({ epoch: z.int(), left: z.nullable(LeftBranch) });
export type LeftBranchNote = z.infer<typeof LeftBranchNote>;

/** Where that commit lies at the remote. */
export const keptRef = (run: string, epoch: number): string => `refs/isdlc/${run}/kept-e${epoch}`;

/** Where work lies at the remote that was given up. */
export const discardedRef = (run: string): string => `refs/isdlc/${run}/discarded`;
