import * as z from "zod/mini";
import { type Severity, Usage } from "./agent.ts";
import { TestCounts } from "./facts.ts";
import type * as ids from "./ids.ts";
import { Channel } from "./people.ts";
import { Commits, Finish, Mode, PhaseKey, RunId, Supervision } from "./plan.ts";

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const PREDICATE_TYPE = "urn:isdlc:attestation:run:v1";
export const LANDING_TYPE = "urn:isdlc:attestation:landing:v1";
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

const word = (most: number) => z.string().check(z.maxLength(most));
const Digest = word(200);
const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const CommitId: z.ZodMiniType<ids.CommitId> = ObjectId;
const TreeId: z.ZodMiniType<ids.TreeId> = ObjectId;
const TIME = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Rejects impossible times, such as the 30th of February or second 61: every comparison with them would be false. */
function isInstant(text: string): boolean {
  const [, year, month, day] = (TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapDay || day <= (DAYS[month - 1] ?? 0);
}
const Time = z.string().check(z.refine(isInstant));
const some = <T extends z.ZodMiniType>(item: T, most: number) => z.array(item).check(z.maxLength(most));

/** What isdlc states about adopted work. */
export const ADOPTED = "checks and review by isdlc, authorship unknown";

/** A commit of a branch, and its git tree. */
const GitPoint = z.strictObject({ commit: CommitId, tree: TreeId });

/** Author of a decision according to the journal. The signer of the statement confirms it. */
const Who = z.strictObject({
  name: word(200),
  channel: z.union([Channel, z.literal("script"), z.literal("pull-request")]),
});

const AttestedAgent = z.strictObject({
  role: z.enum(["phase", "reviewer"]),
  /** Null: every phase without its own agent. */
  phase: z.nullable(PhaseKey),
  name: word(200),
  digest: Digest,
  model: z.nullable(word(200)),
  version: z.nullable(word(200)),
});

/** A decision signed by a passkey, in the format of `ssh-keygen -Y verify` with the namespace `decision@isdlc`. */
const SignedGate = z.strictObject({
  /** The exact signed text. It contains only a digest of the user's text. */
  statement: word(10_000),
  keyid: word(200),
  sig: z.string().check(z.maxLength(20_000), z.regex(/^[A-Za-z0-9+/]+={0,2}$/)),
});
export type SignedGate = z.infer<typeof SignedGate>;

/** Location of an answer given on a code host. Times are those of the host's clock. */
const HostEvidence = z.strictObject({
  host: word(200),
  /** Numeric id of the repository on the host. */
  repository: z.int(),
  kind: z.enum(["review", "comment"]),
  id: z.int(),
  login: word(200),
  /** Numeric id of the user, because logins can be renamed. */
  user: z.int(),
  submittedAt: Time,
  seenAt: Time,
});

const AttestedGate = z.strictObject({
  wait: word(200),
  by: z.strictObject({ name: word(200), channel: z.union([Channel, z.literal("pull-request")]) }),
  decision: z.enum(["continue", "review", "redo"]),
  /** Digest of the displayed summary. */
  shown: Digest,
  /** Git tree that accepting the phase would commit, as displayed. Null: not recorded. */
  tree: z.nullable(TreeId),
  at: Time,
  /** True if the channel was opened while an agent was running. */
  suspicious: z.boolean(),
  /** Missing if no passkey signed the decision, or if others cannot verify the passkey's signatures. */
  signed: z.optional(SignedGate),
  /** Account that brought the answer to a team, whose server did not check it. Such an answer counts for no policy. */
  broughtBy: z.optional(word(200)),
  /** Server that reports the answer. A user's key proves nothing about such an answer. */
  reportedBy: z.optional(word(200)),
  evidence: z.optional(HostEvidence),
});
export type AttestedGate = z.infer<typeof AttestedGate>;

const AttestedReview = z.strictObject({
  attempt: z.int(),
  reviewer: word(200),
  approved: z.boolean(),
  /** Number of open findings by severity. */
  open: z.strictObject({ blocker: z.int(), warning: z.int(), note: z.int() }),
});

const AttestedCheck = z.strictObject({
  name: word(200),
  ok: z.nullable(z.boolean()),
  /** Counts of tests whose report could be read. */
  counts: z.nullable(TestCounts),
  /** `sandbox`, or `you` without one. Null: not recorded, or no program was started. */
  ranAs: z.nullable(z.enum(["sandbox", "you"])),
});

const AttestedPhase = z.strictObject({
  key: PhaseKey,
  persona: Digest,
  status: z.enum(["pending", "in_progress", "completed", "skipped", "dropped", "analysed"]),
  attempts: z.int(),
  redos: z.int(),
  executions: z.int(),
  failedChecks: z.int(),
  /** Results of the checks of the accepted attempt. `ok: null` is "not run". */
  checks: some(AttestedCheck, 1000),
  /** Workers of a team that reported checks and reviews, which its server cannot verify. Missing outside of teams. */
  reportedBy: z.optional(some(word(200), 1000)),
  /** Workers of a team that ran the checks one after the other, with the same result. Missing without this policy. */
  checkedBy: z.optional(some(word(200), 1000)),
  reviews: some(AttestedReview, 1000),
  gates: some(AttestedGate, 1000),
  accepted: z.nullable(z.strictObject({ by: z.union([Who, z.literal("engine")]), at: Time })),
  /** The accepted tree and its commit. Null if nothing was committed or recorded. */
  tree: z.nullable(TreeId),
  commit: z.nullable(CommitId),
  usage: Usage,
});

/** An obstacle that a user overruled. */
const Overruled = z.strictObject({
  phase: z.nullable(PhaseKey),
  what: z.enum(["check", "review", "phase", "step", "supervision"]),
  name: word(200),
  by: Who,
  at: Time,
});

/**
 * Role of a subject in the history of its run, and its parents, because a tree alone does not show which state it
 * replaces.
 */
const AttestedState = z.strictObject({
  is: z.enum(["adopted", "phase", "back", "record", "merge"]),
  parents: some(CommitId, 100),
});
export type AttestedState = z.infer<typeof AttestedState>;

/**
 * Attestation of the commits made by a run, taken from its journal. Version 1: a change of meaning needs another
 * predicate type.
 */
export const RunPredicate = z.strictObject({
  /** Version of isdlc that wrote the attestation. */
  isdlc: word(100),
  run: RunId,
  workflow: word(200),
  /** Digest of the plan. */
  plan: Digest,
  item: word(1000),
  options: z.strictObject({ mode: Mode, light: z.boolean(), commits: Commits }),
  supervision: Supervision,
  startedBy: Who,
  startedAt: Time,
  /**
   * Time of the first choice to finish with a pull request. No state of the run can be undone after it. Null: not
   * sealed.
   */
  sealedAt: z.nullable(Time),
  endedAt: z.nullable(Time),
  finish: z.nullable(Finish),
  git: z.strictObject({
    branch: z.nullable(word(1000)),
    base: z.nullable(word(1000)),
    /** Commit from which the branch starts. */
    start: GitPoint,
    /** Commits on the branch that were not made by the run. */
    others: some(GitPoint, 10_000),
  }),
  /** One entry for each subject, in the same order. */
  states: some(AttestedState, 10_000),
  /** True if agents ran in a sandbox. Null: not recorded. */
  sandbox: z.nullable(z.boolean()),
  /** Present if the run took over existing work: the `adopted` commits, and changes in the commit of its phase. */
  adopted: z.optional(z.literal(ADOPTED)),
  /** Test setup trusted by a user. Null: no tests. */
  tests: z.nullable(z.strictObject({ digest: Digest })),
  agents: some(AttestedAgent, 1000),
  phases: some(AttestedPhase, 1000),
  overruled: some(Overruled, 1000),
  usage: Usage,
  journal: z.strictObject({ seq: z.int(), hash: Digest }),
  signedAt: Time,
});
export type RunPredicate = z.infer<typeof RunPredicate>;

/** One commit. It matches by its id or by its tree. */
const Subject = z.strictObject({
  name: word(1000),
  digest: z.strictObject({ gitCommit: CommitId, gitTree: TreeId }),
});

/** In-toto statement about the commits of a run. */
export const RunStatement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: some(Subject, 10_000).check(z.minLength(1)),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: RunPredicate,
});
export type RunStatement = z.infer<typeof RunStatement>;

export type FindingCount = Readonly<Record<z.infer<typeof Severity>, number>>;

/** Result of merging a run's last state by `isdlc`, a landing queue or a code host. */
export const LandingPredicate = z.strictObject({
  isdlc: word(100),
  run: RunId,
  /** SHA-256 of the payload of the run's statement, as hexadecimal digits. */
  statement: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  base: GitPoint,
  result: GitPoint,
  method: z.enum(["merge", "squash", "rebase", "carry"]),
  /** Results of the checks that ran on `result`. */
  checks: some(AttestedCheck, 1000),
  /** Null: unknown. */
  mergedBy: z.nullable(
    z.union([
      z.strictObject({ name: word(200) }),
      z.strictObject({ host: word(200), login: word(200), user: z.int() }),
    ]),
  ),
  landedAt: Time,
  signedAt: Time,
});

export const LandingStatement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: some(Subject, 1).check(z.minLength(1)),
  predicateType: z.literal(LANDING_TYPE),
  predicate: LandingPredicate,
});
export type LandingStatement = z.infer<typeof LandingStatement>;
