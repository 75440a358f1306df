import * as z from "zod/mini";
import { Channel } from "./people.ts";
import { Mode, PhaseKey, RunId } from "./plan.ts";

/** Data about the project, shown by the web UI around its runs. */
export const ProjectView = z.object({
  name: z.string(),
  root: z.string(),
  version: z.string(),
  person: z.string(),
  /** Channels that may answer here. Empty: all channels. */
  approvals: z.array(Channel),
  /** Why this web UI cannot answer. Null if it can. */
  readOnly: z.nullable(z.string()),
  workflows: z.array(z.object({ name: z.string(), label: z.string(), description: z.string() })),
  /** Repositories of the team in which the user has a role. Empty if the web UI serves one repository. */
  repositories: z.array(z.object({ name: z.string(), mayBegin: z.boolean(), isAdmin: z.boolean() })),
});
export type ProjectView = z.infer<typeof ProjectView>;

export const ItemRow = z.object({
  slug: z.string(),
  status: z.string(),
  createdAt: z.nullable(z.string()),
  /** True after a finished build of the item. */
  isBuilt: z.boolean(),
  /** Null if unknown or not relevant. */
  isStale: z.nullable(z.boolean()),
});
export type ItemRow = Readonly<z.infer<typeof ItemRow>>;

/** Items of the backlog. */
export const ItemList = z.object({ items: z.readonly(z.array(ItemRow)) });
export type ItemList = Readonly<z.infer<typeof ItemList>>;

/** A setting and the source of its value. */
export const SettingView = z.object({
  key: z.string(),
  value: z.nullable(z.string()),
  from: z.enum(["project", "user", "here", "default"]),
  file: z.string(),
  valid: z.string(),
  /** False if the setting can only be changed in a terminal. */
  isChangeable: z.boolean(),
});
export const SettingList = z.object({ settings: z.array(SettingView) });
export type SettingList = z.infer<typeof SettingList>;
export const SettingRequest = z.strictObject({
  key: z.string().check(z.maxLength(100)),
  value: z.string().check(z.maxLength(2000)),
});
export type SettingRequest = z.infer<typeof SettingRequest>;

/** A question to answer before the start. The client repeats the request with the chosen option. */
export const Choice = z.object({
  kind: z.string(),
  options: z.array(z.string()),
  flag: z.string(),
  about: z.optional(z.array(z.string())),
});
export type Choice = z.infer<typeof Choice>;

/** Request to start a run, analyse or build an item, or add an item. */
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
        /** Test command, or name of an option. */
        option: z.string().check(z.regex(/^[^-\s\p{Cc}][^\p{Cc}]{0,499}$/u)),
      }),
    ),
    [],
  ),
});
export type StartRequest = z.infer<typeof StartRequest>;
/** Exactly one of the two is set, or neither if the work continues without a run yet. */
export const StartResult = z.object({ run: z.nullable(RunId), choice: z.nullable(Choice) });
export type StartResult = z.infer<typeof StartResult>;

const measured = { runs: z.number() };
/**
 * Charts of the ended runs of a project. Values exclude runs with unknown data; `runs` is the number of included runs.
 */
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
  /** Minutes from entering a phase to leaving it, including the time that users took. */
  leadTime: z.array(
    z.object({ phase: PhaseKey, name: z.string(), median: z.number(), slowest: z.number(), ...measured }),
  ),
  /** Completed phases, and how many of them a user sent back. */
  redoRate: z.array(z.object({ phase: PhaseKey, name: z.string(), redone: z.number(), completed: z.number() })),
  findings: z.array(z.object({ reviewer: z.string(), blocker: z.number(), warning: z.number(), note: z.number() })),
  /** Minutes from opening a gate to its answer. */
  gates: z.array(
    z.object({ phase: PhaseKey, name: z.string(), median: z.number(), slowest: z.number(), answers: z.number() }),
  ),
});
export type ChartsView = z.infer<typeof ChartsView>;
