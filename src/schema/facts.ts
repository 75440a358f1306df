import * as z from "zod/mini";
import { Issue } from "./agent.ts";
import { CommitId, ExecutionId, TreeId } from "./recorded-ids.ts";

/** View of a process on other processes. In another mount namespace of the same boot, some can be hidden. */
export const ProcessView = z.strictObject({ boot: z.string(), mounts: z.string() });
export type ProcessView = z.infer<typeof ProcessView>;

/** A file that differs between two git trees. */
export const FileChange = z.strictObject({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted", "renamed", "typechange"]),
});
export type FileChange = z.infer<typeof FileChange>;

/** Number of tests in a test report. */
export const TestCounts = z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int() });
export type TestCounts = z.infer<typeof TestCounts>;

/** Failed test with name and reason from its runner. */
export const FailingTest = z.strictObject({ name: z.string(), message: z.nullable(z.string()) });
export type FailingTest = z.infer<typeof FailingTest>;

/** Names of failing tests, compared with those from before the run. */
export const TestComparison = z.strictObject({
  added: z.array(z.string()),
  still: z.array(z.string()),
  fixed: z.array(z.string()),
});
export type TestComparison = z.infer<typeof TestComparison>;

/** Result of one check. `ok: null` is "not run", never "passed". */
export const CheckResult = z.strictObject({
  name: z.string(),
  ok: z.nullable(z.boolean()),
  detail: z.string(),
  /** Only for tests whose report could be read. */
  counts: z.optional(TestCounts),
  /** Only for tests whose report names the failed ones. */
  failing: z.optional(z.array(FailingTest)),
  /** For tests: `sandbox`, or `you` if they ran with the user's own rights. */
  ranAs: z.optional(z.enum(["sandbox", "you"])),
  /** For tests: comparison with the results from before the run. Missing if unknown. */
  against: z.optional(TestComparison),
  /** True if the failure existed before the run and a user chose to continue with it. */
  isKnown: z.optional(z.boolean()),
  /** True if the check exists but could not start. `ok` is then null, and isdlc asks the user. */
  notStarted: z.optional(z.literal(true)),
  /** For tests whose failures all look like sandbox limits: each refused access, with the command to allow it. */
  sandboxLimits: z.optional(z.array(z.string())),
  /** For tests that could not run: the missing program or dependencies, with the command to install them. */
  missing: z.optional(z.string()),
  /** Notes for the user, independent of the result. */
  notes: z.optional(z.array(z.string())),
  /** Tests that failed, and passed when the tests were run again immediately. */
  flaky: z.optional(z.array(z.string())),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** Data of every event about completed checks. */
export const checked = {
  results: z.array(CheckResult),
  testsChanged: z.nullable(z.string()),
  leadsTo: z.enum(["review", "complete"]),
};

/** Test setup of the project, trusted once by a user. `digest` covers the command and its definition. */
export const TestCommand = z.strictObject({
  argv: z.array(z.string()).check(z.minLength(1)),
  /** Further commands. Each runs only if the ones before it passed. */
  more: z.optional(z.array(z.array(z.string()).check(z.minLength(1)))),
  /** True if a user typed the command. False or missing if it was detected. */
  isChosen: z.optional(z.boolean()),
  source: z.string(),
  digest: z.string(),
});
export type TestCommand = z.infer<typeof TestCommand>;

/** Repository state at the time of a scan, to detect later changes of the displayed state. */
export const RepositoryStanding = z.strictObject({
  /** Target of HEAD: a branch as `refs/heads/…`, or a commit. */
  at: z.string(),
  /** Commit of the run's branch, or of HEAD if the run has no branch. Null before the first commit. */
  tip: z.nullable(CommitId),
  /** Commit of the branch into which the work will be merged. */
  base: z.nullable(CommitId),
  /** Digests by file of the git configuration of this repository: settings, attributes, ignore rules, hooks. */
  settings: z.record(z.string(), z.string()),
});
export type RepositoryStanding = z.infer<typeof RepositoryStanding>;

/** Commit and branches at the start of a run. */
export const StartPoint = z.strictObject({
  branch: z.nullable(z.string()),
  base: z.nullable(z.string()),
  commit: CommitId,
  /** Commit of the base, if an earlier run created the branch. */
  baseTip: z.optional(CommitId),
  /** Work made outside of isdlc: the commits after `commit` up to `head`, where the run's branch starts. */
  adopts: z.optional(z.strictObject({ head: CommitId, commits: z.int() })),
});
export type StartPoint = z.infer<typeof StartPoint>;

/**
 * Base trees for a phase whose earlier work, or that of later phases, is in the working tree when the phase is
 * entered. No base contains earlier work of the phase itself, except `entered`.
 */
export const ReturnBases = z.strictObject({
  /** The working tree when the phase was entered. */
  entered: TreeId,
  /** The working tree without the phase's earlier work. Everything else is the work of others. */
  own: TreeId,
  /** `own` without the work of later phases. A return to the phase restores this tree. */
  start: TreeId,
  /** Base of the diff at the gate: also excludes work that no gate has accepted yet. */
  gate: TreeId,
  /** Base of the phase's commit: also excludes work that no commit contains yet. */
  commit: TreeId,
});
export type ReturnBases = z.infer<typeof ReturnBases>;

/** Output of a phase, collected by the engine. Only `summary` and `decisions` are the agent's claims. */
export const PhaseOutput = z.strictObject({
  summary: z.string(),
  decisions: z.array(z.string()),
  artifacts: z.array(z.string()),
  /** Changes since the phase was first entered. Null without git. */
  changed: z.nullable(z.array(FileChange)),
  /** Changes since the tree of the last review in this run. Null if it is the same list. */
  changedSinceSeen: z.nullable(z.array(FileChange)),
  /** Files changed outside of the paths allowed to the phase. */
  unexpected: z.array(z.string()),
  tree: z.nullable(TreeId),
  /**
   * Tree committed when the phase is accepted, independent of later changes to the working tree. Missing if nothing is
   * committed.
   */
  commitTree: z.optional(TreeId),
  /**
   * Commit of `commitTree`, created before the gate opened: accepting the phase moves the branch to it. Null if the tree
   * equals that of the parent. Missing if nothing is committed, and after files were reverted at the gate.
   */
  proposedCommit: z.optional(z.nullable(CommitId)),
  /** `commitTree` without changes by repository hooks, if hooks changed it. */
  plainTree: z.optional(TreeId),
  /** For a run with a single commit at its end: the current tree of this commit. */
  wholeTree: z.optional(TreeId),
  standing: z.optional(RepositoryStanding),
  /** Files hidden from git, and other repository changes made outside of the run. */
  notices: z.optional(z.array(z.string())),
  checks: z.array(CheckResult),
  issues: z.array(Issue),
  /** True only if a reviewer approved exactly this attempt. */
  approved: z.boolean(),
  /** Open findings and failures with which a user continued anyway. Displayed, never counted as approved. */
  concerns: z.array(z.string()),
  /** Differences between the current and the trusted test setup. */
  testsChanged: z.nullable(z.string()),
  /** Rules that would allow the actions refused to the agent. */
  denied: z.optional(z.array(z.string())),
  /** For phases that change code: changed files not mentioned by the agent. */
  unmentioned: z.optional(z.array(z.string())),
  /** Lines to read at the gate. */
  lines: z.int(),
  /** Workers of a team that reported the results of the attempt. The server cannot verify them. */
  reportedBy: z.optional(z.array(z.string())),
  /** Workers of a team that ran the checks one after the other, under its policy, with the same result. */
  checkedBy: z.optional(z.array(z.string())),
  /** Files that the commit changes and the diff at the gate does not show, found by a team server. */
  unshown: z.optional(z.array(z.string())),
});
export type PhaseOutput = z.infer<typeof PhaseOutput>;

/** `supervised_mode` in state.json at the end of a phase. */
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

/** Identifies one process of one boot of a machine. */
export const ProcessIdentity = z.strictObject({ pid: z.int(), started: z.string(), boot: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/**
 * Claim of a running execution: the driver that started it, and the nonce carried by each of its processes. If a
 * session works on it, `driver` is the session's process, and the session reports with the nonce.
 */
export const Claim = z.strictObject({
  execution: ExecutionId,
  nonce: z.string(),
  driver: ProcessIdentity,
  /**
   * Session that works on the execution instead of a process started by isdlc. `host`: name of the product, if known.
   */
  session: z.optional(
    z.strictObject({
      id: z.string(),
      host: z.nullable(z.string()),
      /** The session's own MCP server, if the driver is a process shared by several sessions. */
      server: z.optional(ProcessIdentity),
    }),
  ),
});
export type Claim = z.infer<typeof Claim>;

export const Intensity = z.enum(["light", "standard", "epic"]);
export type Intensity = z.infer<typeof Intensity>;

/** Size of the work according to the analysis. */
export const SizingMetrics = z.strictObject({
  file_count: z.number(),
  module_count: z.number(),
  risk_score: z.string(),
  coupling: z.string(),
  coverage_gaps: z.number(),
});
export type SizingMetrics = z.infer<typeof SizingMetrics>;

/** Recommendation computed from the metrics, and their source. */
export const Sizing = z.strictObject({
  recommended: Intensity,
  rationale: z.string(),
  metrics: z.nullable(SizingMetrics),
  /** `impact-analysis`, or the document used instead. Null if neither could be read. */
  source: z.nullable(z.string()),
});
export type Sizing = z.infer<typeof Sizing>;
