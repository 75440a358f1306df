import * as z from "zod/mini";
import { Channel } from "./people.ts";
import { Mode, PhaseKey, RunId } from "./plan.ts";

/** What the page is told about the project around its runs. */
export const ProjectView = z.object({
  name: z.string(),
  root: z.string(),
  version: z.string(),
  person: z.string(),
  /** Channels that may answer here; empty: all of them. */
  approvals: z.array(Channel),
  /** Why this page cannot answer; null where it can. */
  readOnly: z.nullable(z.string()),
  workflows: z.array(z.object({ name: z.string(), label: z.string(), description: z.string() })),
  /** Those of a team in which the person has a role; empty where the page is for one repository. */
  repositories: z.array(z.object({ name: z.string(), mayBegin: z.boolean(), isAdmin: z.boolean() })),
});
export type ProjectView = z.infer<typeof ProjectView>;

export const ItemRow = z.object({
  slug: z.string(),
  status: z.string(),
  createdAt: z.nullable(z.string()),
  /** True once a build of the item was finished. */
  isBuilt: z.boolean(),
  /** Null where it cannot be told, or does not matter. */
  isStale: z.nullable(z.boolean()),
});
export type ItemRow = Readonly<z.infer<typeof ItemRow>>;

/** Items as the backlog has them. */
export const ItemList = z.object({ items: z.readonly(z.array(ItemRow)) });
export type ItemList = Readonly<z.infer<typeof ItemList>>;

/** A setting with where its value comes from. */
export const SettingView = z.object({
  key: z.string(),
  value: z.nullable(z.string()),
  from: z.enum(["project", "user", "here", "default"]),
  file: z.string(),
  valid: z.string(),
  /** False where it is changed in a terminal only. */
  isChangeable: z.boolean(),
});
export const SettingList = z.object({ settings: z.array(SettingView) });
export type SettingList = z.infer<typeof SettingList>;
export const SettingRequest = z.strictObject({
  key: z.string().check(z.maxLength(100)),
  value: z.string().check(z.maxLength(2000)),
});
export type SettingRequest = z.infer<typeof SettingRequest>;

/** What the program wants to know before it begins; the request is sent again with what was chosen. */
export const Choice = z.object({
  kind: z.string(),
  options: z.array(z.string()),
  flag: z.string(),
  about: z.optional(z.array(z.string())),
});
export type Choice = z.infer<typeof Choice>;

/** Starts a run, analyses or builds an item, or puts one on record. */
export const StartRequest = z.strictObject({
  what: z.enum(["run", "analyze", "build", "add"]),
  workflow: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,48}$/)),
  title: z.string().check(z.minLength(1), z.maxLength(2000)),
  isSupervised: z.boolean(),
  mode: z.optional(Mode),
  choices: z._default(
    z.array(
      z.strictObject({
        flag: z.enum(["--on-stale", "--on-partial", "--tests", "--hooks", "--yes", "--no-git", "--allow-dirty"]),
        /** A test command, or the name of an option. */
        option: z.string().check(z.regex(/^[^-\s\p{Cc}][^\p{Cc}]{0,499}$/u)),
      }),
    ),
    [],
  ),
});
export type StartRequest = z.infer<typeof StartRequest>;
/** Exactly one of both, or neither where the work goes on without a run yet. */
export const StartResult = z.object({ run: z.nullable(RunId), choice: z.nullable(Choice) });
export type StartResult = z.infer<typeof StartResult>;

const measured = { runs: z.number() };
/** Over the ended runs of a project. What is unknown of a run is left out of the numbers, and `runs` says so. */
export const ChartsView = z.object({
  runs: z.array(
    z.object({
      id: RunId,
      title: z.string(),
      workflow: z.string(),
      endedAt: z.string(),
      how: z.string(),
      minutes: z.nullable(z.number()),
      usd: z.nullable(z.number()),
      tokens: z.nullable(z.number()),
      redos: z.nullable(z.number()),
    }),
  ),
  /** Minutes from entering a phase to leaving it, the time people took included. */
  leadTime: z.array(
    z.object({ phase: PhaseKey, name: z.string(), median: z.number(), slowest: z.number(), ...measured }),
  ),
  /** Of all phases that were completed, the share that a person sent back. */
  redoRate: z.array(z.object({ phase: PhaseKey, name: z.string(), redone: z.number(), completed: z.number() })),
  findings: z.array(z.object({ reviewer: z.string(), blocker: z.number(), warning: z.number(), note: z.number() })),
  /** Minutes between a gate opening and its answer. */
  gates: z.array(
    z.object({ phase: PhaseKey, name: z.string(), median: z.number(), slowest: z.number(), answers: z.number() }),
  ),
});
export type ChartsView = z.infer<typeof ChartsView>;
