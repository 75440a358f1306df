import * as z from "zod/mini";
import { Issue } from "./agent.ts";
import { CommitId, ExecutionId, TreeId } from "./recorded-ids.ts";

/** What a process could see of other processes: in another mount namespace of the same boot, some can be hidden. */
export const ProcessView = z.strictObject({ boot: z.string(), mounts: z.string() });
export type ProcessView = z.infer<typeof ProcessView>;

/** One changed file between two trees. */
export const FileChange = z.strictObject({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted", "renamed", "typechange"]),
});
export type FileChange = z.infer<typeof FileChange>;

/** How many tests a run of them reported. */
export const TestCounts = z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int() });
export type TestCounts = z.infer<typeof TestCounts>;

/** A test that failed, by the name its runner gives it, with the reason it gives. */
export const FailingTest = z.strictObject({ name: z.string(), message: z.nullable(z.string()) });
export type FailingTest = z.infer<typeof FailingTest>;

/** Failing tests by name, held against those of before the run. */
export const TestComparison = z.strictObject({
  added: z.array(z.string()),
  still: z.array(z.string()),
  fixed: z.array(z.string()),
});
export type TestComparison = z.infer<typeof TestComparison>;

/** What one check found. `ok: null` is "not measured", never "passed". */
export const CheckResult = z.strictObject({
  name: z.string(),
  ok: z.nullable(z.boolean()),
  detail: z.string(),
  /** Of tests whose report could be read. */
  counts: z.optional(TestCounts),
  /** Of tests whose report names those that failed. */
  failing: z.optional(z.array(FailingTest)),
  /** Of tests: whether a sandbox was around them, or they ran with the person's own rights. */
  ranAs: z.optional(z.enum(["sandbox", "you"])),
  /** Of tests: how they differ from those of before the run; left out where nobody can tell. */
  against: z.optional(TestComparison),
  /** True for a failure that is no other than before the run, with which a person went on. */
  isKnown: z.optional(z.boolean()),
  /** True if the check exists and could not start: `ok` is null then, and the user is asked. */
  notStarted: z.optional(z.literal(true)),
  /** Of tests whose failures all look like limits of their sandbox: what it did not allow, with the command that does. */
  sandboxLimits: z.optional(z.array(z.string())),
  /** Of tests that could not run: what is not installed, with the command that installs it. */
  missing: z.optional(z.string()),
  /** What a person should know about it, passed or not. */
  notes: z.optional(z.array(z.string())),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** The way tests are run here, trusted once by a person. `digest` covers the command and its definition. */
export const TestCommand = z.strictObject({
  argv: z.array(z.string()).check(z.minLength(1)),
  /** Further commands. Each runs only if the ones before it passed. */
  more: z.optional(z.array(z.array(z.string()).check(z.minLength(1)))),
  /** True if a user typed the command; false or missing if it was detected. */
  isChosen: z.optional(z.boolean()),
  source: z.string(),
  digest: z.string(),
});
export type TestCommand = z.infer<typeof TestCommand>;

/** Where the repository stood at a look: what has moved since is not what was shown. */
export const RepositoryStanding = z.strictObject({
  /** What HEAD names: a branch as `refs/heads/…`, or a commit. */
  at: z.string(),
  /** Commit of the run's branch, or of HEAD where it has none; null before the first. */
  tip: z.nullable(CommitId),
  /** Commit of the branch that the work is to be merged into. */
  base: z.nullable(CommitId),
  /** What steers git in this repository, by file: settings, attributes, ignore rules, hooks; each as a digest. */
  settings: z.record(z.string(), z.string()),
});
export type RepositoryStanding = z.infer<typeof RepositoryStanding>;

/** Where a run starts in the repository. */
export const StartPoint = z.strictObject({
  branch: z.nullable(z.string()),
  base: z.nullable(z.string()),
  commit: CommitId,
  /** Where the base stands, when the branch was begun by an earlier run. */
  baseTip: z.optional(CommitId),
});

/**
 * Trees to compare with in a phase whose earlier work, or that of later phases, is in the working tree when it is
 * entered. None of them contains the earlier work of the phase itself.
 */
export const ReturnBases = z.strictObject({
  /** The working tree as it was entered. */
  entered: TreeId,
  /** The working tree without the earlier work of the phase: everything else is the work of others. */
  own: TreeId,
  /** The same without the work of later phases: the tree that a return to the phase restores. */
  start: TreeId,
  /** Base of the diff at the gate: also without the work that no gate has accepted yet. */
  gate: TreeId,
  /** Base of the phase's commit: also without the work that no commit has yet. */
  commit: TreeId,
});
export type ReturnBases = z.infer<typeof ReturnBases>;

/** What a phase left behind, gathered by the engine; nothing here is the agent's word but `summary` and `decisions`. */
export const PhaseOutput = z.strictObject({
  summary: z.string(),
  decisions: z.array(z.string()),
  artifacts: z.array(z.string()),
  /** Since the phase was first entered; null when there is no git to ask. */
  changed: z.nullable(z.array(FileChange)),
  /** Since the tree a person last saw in this run; null where that is the same list. */
  changedSinceSeen: z.nullable(z.array(FileChange)),
  /** Changed although the phase may not write there. */
  unexpected: z.array(z.string()),
  tree: z.nullable(TreeId),
  /** The tree that accepting the phase commits, whatever happens to the working tree; left out where nothing is committed. */
  commitTree: z.optional(TreeId),
  /** The same without what hooks of the repository made of it, where they did. */
  plainTree: z.optional(TreeId),
  /** For a run with a single commit at its end: the tree which that commit would have now. */
  wholeTree: z.optional(TreeId),
  standing: z.optional(RepositoryStanding),
  /** What git was kept from seeing, and what else of the repository is not as the run left it. */
  notices: z.optional(z.array(z.string())),
  checks: z.array(CheckResult),
  issues: z.array(Issue),
  /** True only when a reviewer approved this very attempt. */
  approved: z.boolean(),
  /** Open findings and "continue anyway": shown, never called approved. */
  concerns: z.array(z.string()),
  /** How the way of running tests differs from the trusted one. */
  testsChanged: z.nullable(z.string()),
  /** Rules that would allow what was refused to the agent. */
  denied: z.optional(z.array(z.string())),
  /** Files that changed and that the agent said nothing of, where a phase changes code. */
  unmentioned: z.optional(z.array(z.string())),
  /** Lines a person would read at the gate. */
  lines: z.int(),
  /** Workers of a team that reported the results of the attempt. The server cannot verify them. */
  reportedBy: z.optional(z.array(z.string())),
});
export type PhaseOutput = z.infer<typeof PhaseOutput>;

/** `supervised_mode` as found in state.json at the end of a phase. */
export const SettingsReading = z.discriminatedUnion("is", [
  z.strictObject({
    is: z.literal("set"),
    enabled: z.boolean(),
    phases: z.union([z.literal("all"), z.array(z.string())]),
    minimal: z.boolean(),
  }),
  z.strictObject({ is: z.literal("absent") }),
  z.strictObject({ is: z.literal("unreadable") }),
]);
export type SettingsReading = z.infer<typeof SettingsReading>;

/** Names one process of one start of one machine. */
export const ProcessIdentity = z.strictObject({ pid: z.int(), started: z.string(), boot: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/**
 * A live execution: which driver started it, and the nonce every process of it carries. Where a session works on it,
 * `driver` is the process the session lives in, and the nonce is what it reports with.
 */
export const Claim = z.strictObject({
  execution: ExecutionId,
  nonce: z.string(),
  driver: ProcessIdentity,
  /** The session that works on it instead of a process of ours; `host` is the product, where it tells. */
  session: z.optional(
    z.strictObject({
      id: z.string(),
      host: z.nullable(z.string()),
      /** The session's own MCP server, if the driver is a process that several sessions share. */
      server: z.optional(ProcessIdentity),
    }),
  ),
});
export type Claim = z.infer<typeof Claim>;

export const Intensity = z.enum(["light", "standard", "epic"]);
export type Intensity = z.infer<typeof Intensity>;

/** How large the work is, as the analysis tells. */
export const SizingMetrics = z.strictObject({
  file_count: z.number(),
  module_count: z.number(),
  risk_score: z.string(),
  coupling: z.string(),
  coverage_gaps: z.number(),
});
export type SizingMetrics = z.infer<typeof SizingMetrics>;

/** What the numbers suggest, and where they came from. */
export const Sizing = z.strictObject({
  recommended: Intensity,
  rationale: z.string(),
  metrics: z.nullable(SizingMetrics),
  /** `impact-analysis`, or the document that stood in for it; null when none could be read. */
  source: z.nullable(z.string()),
});
export type Sizing = z.infer<typeof Sizing>;
