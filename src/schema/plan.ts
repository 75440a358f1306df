import * as z from "zod/mini";
import { Usage } from "./agent.ts";
import type * as ids from "./ids.ts";
import { PHASE_KEY, RUN_ID } from "./ids.ts";

/** Ids in external data. */
export const PhaseKey = z.string().check(z.regex(PHASE_KEY));
export const RunId: z.ZodMiniType<ids.RunId> = z.string().check(z.regex(RUN_ID));

export const Mode = z.enum(["hotfix", "quick", "standard", "full"]);
export type Mode = z.infer<typeof Mode>;

/** Paths that the agent of a phase may write: its item folder, also tests, or the whole working tree. */
export const Writes = z.enum(["item", "tests", "tree"]);
export type Writes = z.infer<typeof Writes>;

/** When a gate opens: as configured by supervision, always, or also if the artifact is larger than expected. */
export const GateRule = z.enum(["supervised", "always", "large"]);

/** File name in the item folder. It contains no separators, to be safe in joined paths. */
const ArtifactName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*\.(?:md|json)$/));

/** Step after leaving the gate of a phase, before the next phase starts. */
export const AfterStep = z.enum(["sizing", "refinement"]);
export type AfterStep = z.infer<typeof AfterStep>;

const checkNumbers = {
  /** Number of failed checks in one attempt after which isdlc asks the user. */
  limit: z.int().check(z.positive()),
  /** Number of identical failures in a row that opens the circuit breaker. */
  breaker: z.int().check(z.positive()),
};

/** One phase of a workflow definition. A plan adds its persona's digest and resolved limits. */
export const PhaseDefinition = z.strictObject({
  key: PhaseKey,
  name: z.string(),
  /** Shorter name for banners, if the full name is too long. */
  shortName: z.optional(z.string()),
  persona: z.string(),
  reviewer: z.nullable(z.string()),
  /** Artifacts of earlier phases provided to this phase, nearest last. */
  inputs: z.array(ArtifactName),
  outputs: z.array(ArtifactName),
  /** Content that the next phase needs from this one. The reviewer checks it. */
  needs: z.string(),
  writes: Writes,
  tests: z.boolean(),
  checks: z.strictObject(checkNumbers),
  gate: GateRule,
  /** Expected minutes of a phase. An execution that is silent for twice this time is ended. */
  minutes: z.int().check(z.positive()),
  articles: z.array(z.string()),
  analysis: z.boolean(),
  whenLight: z.enum(["keep", "drop"]),
  after: z._default(z.array(AfterStep), []),
  /** True if the phase produces nothing: existing work is checked and reviewed once. */
  judged: z.optional(z.boolean()),
  /** True if the first attempt takes existing work as it is. An agent works only in a redo. */
  adopts: z.optional(z.boolean()),
  /** True if code must change. Without changed code, the phase is not done, whatever its agent reports. */
  mustChange: z.optional(z.boolean()),
});
export type PhaseDefinition = z.infer<typeof PhaseDefinition>;

/** Work is light up to `light_max_files`, and epic from `epic_min_files` on or with high risk. */
export const SizingThresholds = z.strictObject({ light_max_files: z.int(), epic_min_files: z.int() });
export type SizingThresholds = z.infer<typeof SizingThresholds>;

export const Finish = z.enum(["merge", "squash", "pr", "keep", "discard"]);
export type Finish = z.infer<typeof Finish>;

export const WorkflowOption = z.strictObject({
  flag: z.string(),
  description: z.string(),
  /** Value without the flag. Missing if the run decides it later. */
  default: z.optional(z.boolean()),
});

/** A workflow as shipped in `workflows/`. */
export const WorkflowDefinition = z.strictObject({
  name: z.string(),
  label: z.string(),
  description: z.string(),
  /** Folder of the working tree for the folders of items. Null: the run's private work folder. */
  items: z.nullable(z.strictObject({ root: z.string(), prefix: z.string() })),
  /** First part of the branch name. Null: no branch. */
  branch: z.nullable(z.string()),
  /** True if isdlc asks how the run ends even without supervision. */
  asksToFinish: z.boolean(),
  options: z.record(z.string(), WorkflowOption),
  thresholds: z.optional(SizingThresholds),
  /** Offered ways to end a run of this workflow. Default: merge, pull request and keep. */
  ends: z.optional(z.array(Finish)),
  phases: z.array(PhaseDefinition).check(z.minLength(1)),
});
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>;

/** One phase of a plan. Contains everything needed for decisions, to replay old journals identically. */
export const PhaseRule = z.extend(PhaseDefinition, {
  personaDigest: z.string(),
  /** Reviewer verdicts allowed in one attempt. */
  verdicts: z.int().check(z.nonnegative()),
});
export type PhaseRule = z.infer<typeof PhaseRule>;

export const Supervision = z.strictObject({
  enabled: z.boolean(),
  /** "all", two-digit phase numbers, or full phase keys. */
  phases: z.union([z.literal("all"), z.array(z.string())]),
});
export type Supervision = z.infer<typeof Supervision>;

export const Commits = z.enum(["phase", "end", "none"]);
export type Commits = z.infer<typeof Commits>;

/** Usage allowed for a whole run before isdlc asks the user. Null: no limit. Counts only reported usage. */
export const Budget = z.strictObject({ usd: z.nullable(z.number()), tokens: z.nullable(z.number()) });
export type Budget = z.infer<typeof Budget>;

/** Data displayed with a question about the budget. */
export const budgetWait = {
  spent: Usage,
  budget: Budget,
  /** An agent reported an impossible usage: the total is unknown. */
  unknown: z.optional(z.literal(true)),
  /** The budget is not used up, but the next execution would exceed it with about this usage. */
  ahead: z.optional(Usage),
};

/** Limits of one execution. Null: no limit. */
export const ExecutionLimits = z.strictObject({
  turns: z.nullable(z.int()),
  minutes: z.nullable(z.number()),
});
export type ExecutionLimits = z.infer<typeof ExecutionLimits>;

export const RunOptions = z.strictObject({
  mode: Mode,
  light: z.boolean(),
  commits: Commits,
  finish: z.enum(["ask", "merge", "keep"]),
  /** `ask`: isdlc asks for the size of the work. `accept`: the user agreed in advance to the recommendation. */
  sizing: z._default(z.enum(["ask", "accept"]), "ask"),
  thresholds: z._default(SizingThresholds, { light_max_files: 5, epic_min_files: 20 }),
  budget: z.optional(Budget),
  limits: z.optional(ExecutionLimits),
  /** `shared`: the analysis phases continue in one conversation, if the agent supports it. */
  session: z.optional(z.enum(["phase", "shared"])),
  /** Offered ways to end the run. Default: merge, pull request and keep. */
  ends: z.optional(z.array(Finish)),
  /** False if the user disabled review gates for this run, regardless of the settings at its start. */
  supervised: z.optional(z.literal(false)),
  /** Handling of tests that fail before the run: ask the user, or continue as agreed in advance. */
  redTests: z.optional(z.enum(["ask", "continue"])),
  /** Set if the user chose to run no tests. */
  tests: z.optional(z.literal("none")),
  /** Maximum number of redos of one phase. Default: 3. */
  redos: z.optional(z.int().check(z.nonnegative())),
});
export type RunOptions = z.infer<typeof RunOptions>;

/** Issue that the work comes from. */
export const IssueSource = z.strictObject({
  source: z.enum(["github", "gitlab", "jira"]),
  id: z.string(),
  url: z.string(),
});
