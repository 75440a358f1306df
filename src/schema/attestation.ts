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

/** False for the 30th of February or a 61st second: every comparison with such a time would be false. */
function isInstant(text: string): boolean {
  const [, year, month, day] = (TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapDay || day <= (DAYS[month - 1] ?? 0);
}
const Time = z.string().check(z.refine(isInstant));
const some = <T extends z.ZodMiniType>(item: T, most: number) => z.array(item).check(z.maxLength(most));

/** One commit of a branch, and its tree. */
const GitPoint = z.strictObject({ commit: CommitId, tree: TreeId });

/** Who a journal says decided; the signature says who vouches for that. */
const Who = z.strictObject({
  name: word(200),
  channel: z.union([Channel, z.literal("script"), z.literal("pull-request")]),
});

const AttestedAgent = z.strictObject({
  role: z.enum(["phase", "reviewer"]),
  /** Null: every phase that has no agent of its own. */
  phase: z.nullable(PhaseKey),
  name: word(200),
  digest: Digest,
  model: z.nullable(word(200)),
  version: z.nullable(word(200)),
});

/** A decision that a passkey signed, as `ssh-keygen -Y verify` reads it with the namespace `decision@isdlc`. */
const SignedGate = z.strictObject({
  /** What was signed, word for word; what the person wrote is in it as a digest. */
  statement: word(10_000),
  keyid: word(200),
  sig: z.string().check(z.maxLength(20_000), z.regex(/^[A-Za-z0-9+/]+={0,2}$/)),
});
export type SignedGate = z.infer<typeof SignedGate>;

/** Where an answer that was given on a code host can be found again; times are those of the host's clock. */
const HostEvidence = z.strictObject({
  host: word(200),
  /** Numeric id of the repository on the host. */
  repository: z.int(),
  kind: z.enum(["review", "comment"]),
  id: z.int(),
  login: word(200),
  /** Numeric id of the user: logins can be renamed. */
  user: z.int(),
  submittedAt: Time,
  seenAt: Time,
});

const AttestedGate = z.strictObject({
  wait: word(200),
  by: z.strictObject({ name: word(200), channel: z.union([Channel, z.literal("pull-request")]) }),
  decision: z.enum(["continue", "review", "redo"]),
  /** Digest of what the person was shown. */
  shown: Digest,
  /** Tree that accepting the phase would commit, as shown; null: not recorded. */
  tree: z.nullable(TreeId),
  at: Time,
  /** The channel was opened while an agent was at work. */
  suspicious: z.boolean(),
  /** Left out: no passkey signed it, or one whose signatures others cannot verify. */
  signed: z.optional(SignedGate),
  /** Account that brought the answer to a team, whose server did not check it. Such an answer counts for no policy. */
  broughtBy: z.optional(word(200)),
  /** Server that reports the answer; a person's key proves nothing about it. */
  reportedBy: z.optional(word(200)),
  evidence: z.optional(HostEvidence),
});
export type AttestedGate = z.infer<typeof AttestedGate>;

const AttestedReview = z.strictObject({
  attempt: z.int(),
  reviewer: word(200),
  approved: z.boolean(),
  /** Findings that were open, by severity. */
  open: z.strictObject({ blocker: z.int(), warning: z.int(), note: z.int() }),
});

const AttestedCheck = z.strictObject({
  name: word(200),
  ok: z.nullable(z.boolean()),
  /** Of tests whose report could be read. */
  counts: z.nullable(TestCounts),
  /** Whether a sandbox was around them; null: not recorded, or no program was started. */
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
  /** What the checks of the accepted attempt found; null is "not measured". */
  checks: some(AttestedCheck, 1000),
  /** Workers of a team that reported checks and reviews; its server cannot verify them. Left out: not a team's run. */
  reportedBy: z.optional(some(word(200), 1000)),
  reviews: some(AttestedReview, 1000),
  gates: some(AttestedGate, 1000),
  accepted: z.nullable(z.strictObject({ by: z.union([Who, z.literal("engine")]), at: Time })),
  /** The accepted tree, and the commit made of it; null if nothing was committed or recorded. */
  tree: z.nullable(TreeId),
  commit: z.nullable(CommitId),
  usage: Usage,
});

/** Something that stood in the way, and a person went on over. */
const Overruled = z.strictObject({
  phase: z.nullable(PhaseKey),
  what: z.enum(["check", "review", "phase", "step", "supervision"]),
  name: word(200),
  by: Who,
  at: Time,
});

/** What a subject is in the history of its run, and its parents: a tree alone says nothing about what it replaces. */
const AttestedState = z.strictObject({
  is: z.enum(["phase", "back", "record", "merge"]),
  parents: some(CommitId, 100),
});
export type AttestedState = z.infer<typeof AttestedState>;

/** What a run's journal says about the commits it made. Version 1; a change of meaning is another predicate type. */
export const RunPredicate = z.strictObject({
  /** Version of isdlc that wrote the statement. */
  isdlc: word(100),
  run: RunId,
  workflow: word(200),
  /** Digest of the frozen plan. */
  plan: Digest,
  item: word(1000),
  options: z.strictObject({ mode: Mode, light: z.boolean(), commits: Commits }),
  supervision: Supervision,
  startedBy: Who,
  startedAt: Time,
  /** When the finish was chosen; from then on no state of the run can be taken back. Null: not sealed. */
  sealedAt: z.nullable(Time),
  endedAt: z.nullable(Time),
  finish: z.nullable(Finish),
  git: z.strictObject({
    branch: z.nullable(word(1000)),
    base: z.nullable(word(1000)),
    /** Where the branch began. */
    start: GitPoint,
    /** Commits on the branch that the run did not make. */
    others: some(GitPoint, 10_000),
  }),
  /** One entry for each subject, in the same order. */
  states: some(AttestedState, 10_000),
  /** Null: nobody recorded whether agents were in a sandbox. */
  sandbox: z.nullable(z.boolean()),
  /** How tests are run, as a person trusted it; null: not at all. */
  tests: z.nullable(z.strictObject({ digest: Digest })),
  agents: some(AttestedAgent, 1000),
  phases: some(AttestedPhase, 1000),
  overruled: some(Overruled, 1000),
  usage: Usage,
  journal: z.strictObject({ seq: z.int(), hash: Digest }),
  signedAt: Time,
});
export type RunPredicate = z.infer<typeof RunPredicate>;

/** A subject is one commit: it fits by its id, or by its tree. */
const Subject = z.strictObject({
  name: word(1000),
  digest: z.strictObject({ gitCommit: CommitId, gitTree: TreeId }),
});

/** An in-toto statement about the commits of a run. */
export const RunStatement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: some(Subject, 10_000).check(z.minLength(1)),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: RunPredicate,
});
export type RunStatement = z.infer<typeof RunStatement>;

export type FindingCount = Readonly<Record<z.infer<typeof Severity>, number>>;

/** A result of merging a run's last state: by `isdlc`, a landing queue or a code host. */
export const LandingPredicate = z.strictObject({
  isdlc: word(100),
  run: RunId,
  /** SHA-256 of the payload of the run's statement, in hexadecimal digits. */
  statement: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  base: GitPoint,
  result: GitPoint,
  method: z.enum(["merge", "squash", "rebase", "carry"]),
  /** Results of the checks on the result. */
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
