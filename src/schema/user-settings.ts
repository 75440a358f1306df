import * as z from "zod/mini";
import { Channel } from "./people.ts";

/** `auto`: use a sandbox if available. */
export const SandboxChoice = z.enum(["auto", "on", "off"]);
/** `auto`: forwarded for agent products that work with it. */
export const NetworkChoice = z.enum(["auto", "forwarded", "shared"]);
export const SessionChoice = z.enum(["phase", "shared"]);

export const WebhookForm = z.enum(["json", "slack", "teams"]);
/** `on`: bell and terminal notification. */
export const NotifyChoice = z.enum(["on", "bell", "off"]);
export type NotifyChoice = z.infer<typeof NotifyChoice>;

const amount = z.number().check(z.positive());
const count = z.int().check(z.positive());
/** Higher values are rejected, because they would limit nothing. */
export const MAX_REDO_LIMIT = 100;
const WEEK = 7 * 24 * 60; // minutes

/** `SENTRY_*` matches every name with this prefix. */
export const VARIABLE_NAME = /^(?!ISDLC_)[A-Z_][A-Z0-9_]*\*?$/i;
const VariableName = z.string().check(z.regex(VARIABLE_NAME));

const fields = {
  /** `name` or `name:model`. Names are not validated here. */
  agent: z.optional(z.string()),
  "agent-command": z.optional(z.string()),
  reviewer: z.optional(z.string()),
  "reviewer-command": z.optional(z.string()),
  /** Channels that may answer. Missing: all channels. */
  approvals: z.optional(z.array(Channel)),
  sandbox: z.optional(SandboxChoice),
  /** Network of sandboxed agents. */
  "sandbox-network": z.optional(NetworkChoice),
  /** Paths outside of the working tree that sandboxed agents may read or write. */
  "sandbox-read": z.optional(z.array(z.string())),
  "sandbox-write": z.optional(z.array(z.string())),
  /** Additional environment variables for agents, and for hooks and filters of git. */
  "agent-variables": z.optional(z.array(VariableName)),
  "git-variables": z.optional(z.array(VariableName)),
  /** Limits of a whole run. */
  "max-usd": z.optional(amount),
  "max-tokens": z.optional(count),
  /** Limits of one execution. */
  "max-turns": z.optional(count),
  "max-minutes": z.optional(z.number().check(z.positive(), z.maximum(WEEK))),
  /** Maximum number of redos of one phase. */
  "redo.limit": z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_REDO_LIMIT))),
  session: z.optional(SessionChoice),
  /** Test command of one project, as typed by the user. */
  tests: z.optional(z.string()),
  /** URL that is notified when a run waits. */
  webhook: z.optional(z.url({ protocol: /^https?$/ })),
  "webhook-secret": z.optional(z.string()),
  "webhook-form": z.optional(WebhookForm),
  /** `on`: the gate names changed files in the home folder that start programs at a login. */
  "watch-startup-files": z.optional(z.enum(["on", "off"])),
  /** Terminal notification when a run waits. */
  notify: z.optional(NotifyChoice),
} as const;

const Fields = z.object(fields);

/** `agent.04-design`: agent of one phase. */
type PhaseSetting = `${"agent" | "reviewer"}.${string}`;
const PHASE_SETTING = /^(?:agent|reviewer)\../;

/** A user's settings for all projects. */
export type UserSettings = z.infer<typeof Fields> & { readonly [setting in PhaseSetting]?: string };

/**
 * Returns true for settings that can differ by project: agents, limits, sessions, tests, variables. Never true for
 * approval channels or notification targets.
 */
export const isProjectSetting = (key: string): boolean =>
  /^(?:agent|reviewer)(?:-command|\..+)?$|^max-(?:usd|tokens|turns|minutes)$|^redo\.limit$|^session$|^tests$|^(?:agent|git)-variables$/.test(
    key,
  );

/** Returns the valid settings. Unknown keys are ignored; `bad` lists known keys with an invalid value. */
export function parseUserSettings(value: Readonly<Record<string, unknown>>): {
  readonly settings: UserSettings;
  readonly bad: readonly string[];
} {
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(fields, key) || PHASE_SETTING.test(key));
  const good = known.filter(([key, entry]) => isValid(key, entry));
  const bad = known.filter(([key, entry]) => !isValid(key, entry)).map(([key]) => key);
  return { settings: Object.fromEntries(good) as UserSettings, bad }; // each value was checked by its schema
}

function isValid(key: string, value: unknown): boolean {
  if (PHASE_SETTING.test(key)) return typeof value === "string";
  return z.safeParse(Fields, { [key]: value }).success;
}
