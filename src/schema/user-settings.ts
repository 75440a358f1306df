import * as z from "zod/mini";
import { Channel } from "./people.ts";

/** `auto`: where it can be done. */
export const SandboxChoice = z.enum(["auto", "on", "off"]);
export const SessionChoice = z.enum(["phase", "shared"]);

export const WebhookForm = z.enum(["json", "slack", "teams"]);
/** `on`: a bell and a notification of the terminal. */
export const NotifyChoice = z.enum(["on", "bell", "off"]);
export type NotifyChoice = z.infer<typeof NotifyChoice>;

const amount = z.number().check(z.positive());
const count = z.int().check(z.positive());
/** More than this is no limit. */
export const MAX_REDO_LIMIT = 100;
const WEEK = 7 * 24 * 60; // minutes

/** `SENTRY_*` stands for every name that begins so. */
export const VARIABLE_NAME = /^(?!ISDLC_)[A-Z_][A-Z0-9_]*\*?$/i;
const VariableName = z.string().check(z.regex(VARIABLE_NAME));

const fields = {
  /** `name` or `name:model`; which there are is not known here. */
  agent: z.optional(z.string()),
  "agent-command": z.optional(z.string()),
  reviewer: z.optional(z.string()),
  "reviewer-command": z.optional(z.string()),
  /** Channels that may answer; all where it is not set. */
  approvals: z.optional(z.array(Channel)),
  sandbox: z.optional(SandboxChoice),
  /** Paths outside of the working tree that agents in a sandbox may read, or write. */
  "sandbox-read": z.optional(z.array(z.string())),
  "sandbox-write": z.optional(z.array(z.string())),
  /** Names of variables that agents, or the hooks and filters of git, get besides what they need by their kind. */
  "agent-variables": z.optional(z.array(VariableName)),
  "git-variables": z.optional(z.array(VariableName)),
  /** For a whole run. */
  "max-usd": z.optional(amount),
  "max-tokens": z.optional(count),
  /** For one execution. */
  "max-turns": z.optional(count),
  "max-minutes": z.optional(z.number().check(z.positive(), z.maximum(WEEK))),
  /** How often a person may send one phase back. */
  "redo.limit": z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_REDO_LIMIT))),
  session: z.optional(SessionChoice),
  /** Test command of one project, as the user typed it. */
  tests: z.optional(z.string()),
  /** Where it is told that a run waits. */
  webhook: z.optional(z.url({ protocol: /^https?$/ })),
  "webhook-secret": z.optional(z.string()),
  "webhook-form": z.optional(WebhookForm),
  /** How a person at a terminal is told that a run waits. */
  notify: z.optional(NotifyChoice),
} as const;

const Fields = z.object(fields);

/** `agent.04-design`: the agent of one phase. */
type PhaseSetting = `${"agent" | "reviewer"}.${string}`;
const PHASE_SETTING = /^(?:agent|reviewer)\../;

/** A person's own settings, for every project. */
export type UserSettings = z.infer<typeof Fields> & { readonly [setting in PhaseSetting]?: string };

/** Agents, limits, sessions and tests may be different for one project; who may answer, and where things are sent, may not. */
export const isProjectSetting = (key: string): boolean =>
  /^(?:agent|reviewer)(?:-command|\..+)?$|^max-(?:usd|tokens|turns|minutes)$|^redo\.limit$|^session$|^tests$|^(?:agent|git)-variables$/.test(
    key,
  );

/** What is not known is left out; `bad` names what is known and has a wrong value. */
export function parseUserSettings(value: Readonly<Record<string, unknown>>): {
  readonly settings: UserSettings;
  readonly bad: readonly string[];
} {
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(fields, key) || PHASE_SETTING.test(key));
  const good = known.filter(([key, entry]) => isValid(key, entry));
  const bad = known.filter(([key, entry]) => !isValid(key, entry)).map(([key]) => key);
  return { settings: Object.fromEntries(good) as UserSettings, bad }; // every value was checked by its schema
}

function isValid(key: string, value: unknown): boolean {
  if (PHASE_SETTING.test(key)) return typeof value === "string";
  return z.safeParse(Fields, { [key]: value }).success;
}
