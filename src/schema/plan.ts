import * as z from "zod/mini";
import { Usage } from "./agent.ts";
import type * as ids from "./ids.ts";
import { PHASE_KEY, RUN_ID } from "./ids.ts";

/** Ids as they cross a border. */
export const PhaseKey = z.string().check(z.regex(PHASE_KEY));
export const RunId: z.ZodMiniType<ids.RunId> = z.string().check(z.regex(RUN_ID));

export const Mode = z.enum(["hotfix", "quick", "standard", "full"]);
export type Mode = z.infer<typeof Mode>;

/** What the agent of a phase may write: its own item folder, that and tests, or the whole working tree. */
export const Writes = z.enum(["item", "tests", "tree"]);
export type Writes = z.infer<typeof Writes>;

/** When a person is asked: as supervision says, always, or also when the artifact outgrew what was expected. */
export const GateRule = z.enum(["supervised", "always", "large"]);

/** A name inside the item folder: no separators, so it can be joined without surprise. */
const ArtifactName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*\.(?:md|json)$/));

/** What may follow a phase once its gate is left, before the next phase begins. */
export const AfterStep = z.enum(["sizing", "refinement"]);
export type AfterStep = z.infer<typeof AfterStep>;

const checkNumbers = {
  /** How often checks may fail in one attempt before a person is asked. */
  limit: z.int().check(z.positive()),
  /** How many identical failures in a row open the circuit. */
  breaker: z.int().check(z.positive()),
};

/** One phase of a workflow definition; what a plan freezes is this, with its persona's digest and its limits resolved. */
export const PhaseDefinition = z.strictObject({
  key: PhaseKey,
  name: z.string(),
  /** Shorter name for banners, where the full one is too long. */
  shortName: z.optional(z.string()),
  persona: z.string(),
  reviewer: z.nullable(z.string()),
  /** Artifacts of earlier phases handed to this one, nearest last. */
  inputs: z.array(ArtifactName),
  outputs: z.array(ArtifactName),
  /** What the next phase must be able to take from this one; the reviewer judges by it. */
  needs: z.string(),
  writes: Writes,
  tests: z.boolean(),
  checks: z.strictObject(checkNumbers),
  gate: GateRule,
  /** Minutes a phase should take; twice that without a sign of life ends the execution. */
  minutes: z.int().check(z.positive()),
  articles: z.array(z.string()),
  analysis: z.boolean(),
  whenLight: z.enum(["keep", "drop"]),
  after: z._default(z.array(AfterStep), []),
  /** True where nothing is made: what is there is checked and judged, once. */
  judged: z.optional(z.boolean()),
  /** True where code has to change: a phase that changed none is not done, whatever its agent says. */
  mustChange: z.optional(z.boolean()),
});
export type PhaseDefinition = z.infer<typeof PhaseDefinition>;

/** Up to so many files is light; from so many on, or with high risk, epic. */
export const SizingThresholds = z.strictObject({ light_max_files: z.int(), epic_min_files: z.int() });
export type SizingThresholds = z.infer<typeof SizingThresholds>;

export const Finish = z.enum(["merge", "squash", "pr", "keep", "discard"]);
export type Finish = z.infer<typeof Finish>;

export const WorkflowOption = z.strictObject({
  flag: z.string(),
  description: z.string(),
  /** What holds without the flag; left out where that is decided during the run. */
  default: z.optional(z.boolean()),
});

/** A workflow as shipped in `workflows/`. */
export const WorkflowDefinition = z.strictObject({
  name: z.string(),
  label: z.string(),
  description: z.string(),
  /** Folder of the working tree below which an item gets its own; null: the run's private work folder. */
  items: z.nullable(z.strictObject({ root: z.string(), prefix: z.string() })),
  /** First part of the branch name; null: no branch. */
  branch: z.nullable(z.string()),
  /** True when the person is asked how the run ends even without supervision. */
  asksToFinish: z.boolean(),
  options: z.record(z.string(), WorkflowOption),
  thresholds: z.optional(SizingThresholds),
  /** Ways to end a run of it that a person is offered; merge, pull request and keep by default. */
  ends: z.optional(z.array(Finish)),
  phases: z.array(PhaseDefinition).check(z.minLength(1)),
});
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>;

/** One phase of a plan. Everything a decision needs is here, so that an old journal replays the same for ever. */
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

/** What a whole run may use before a person is asked; null: no limit. Counts what agents tell. */
export const Budget = z.strictObject({ usd: z.nullable(z.number()), tokens: z.nullable(z.number()) });
export type Budget = z.infer<typeof Budget>;

/** What a person is told when they are asked about a budget. */
export const budgetWait = {
  spent: Usage,
  budget: Budget,
  /** An agent told of a usage that cannot be: what was spent is not known. */
  unknown: z.optional(z.literal(true)),
  /** The budget is not spent, but what comes next would exceed it by using about this much. */
  ahead: z.optional(Usage),
};

/** What one execution may use before it is ended; null: no limit. */
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
  /** Whether a person is asked how large the work is, or agreed beforehand to what is recommended. */
  sizing: z._default(z.enum(["ask", "accept"]), "ask"),
  thresholds: z._default(SizingThresholds, { light_max_files: 5, epic_min_files: 20 }),
  budget: z.optional(Budget),
  limits: z.optional(ExecutionLimits),
  /** Whether the phases of the analysis go on in one conversation, where the agent can. */
  session: z.optional(z.enum(["phase", "shared"])),
  /** Ways to end the run that a person is offered; merge, pull request and keep by default. */
  ends: z.optional(z.array(Finish)),
  /** False: a person wanted no review gates in this run, whatever the settings said when it began. */
  supervised: z.optional(z.literal(false)),
  /** What is done about tests that fail before the run: a person is asked, or agreed beforehand to go on. */
  redTests: z.optional(z.enum(["ask", "continue"])),
  /** Set if the user chose to run no tests. */
  tests: z.optional(z.literal("none")),
  /** How often a person may send one phase back; three times by default. */
  redos: z.optional(z.int().check(z.nonnegative())),
});
export type RunOptions = z.infer<typeof RunOptions>;
