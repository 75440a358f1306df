import { join } from "node:path";
import * as z from "zod/mini";
import { isRecord } from "../../core/own-value.ts";
import { Channel } from "../../schema/people.ts";
import { type FileSystem, readSmall, replaceFile } from "../file-system/file-system.ts";

/** `auto`: where it can be done. */
export const SandboxChoice = z.enum(["auto", "on", "off"]);
export const SessionChoice = z.enum(["phase", "shared"]);

const amount = z.number().check(z.positive());
const count = z.int().check(z.positive());
const WEEK = 7 * 24 * 60; // minutes

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
  /** For a whole run. */
  "max-usd": z.optional(amount),
  "max-tokens": z.optional(count),
  /** For one execution. */
  "max-turns": z.optional(count),
  "max-minutes": z.optional(z.number().check(z.positive(), z.maximum(WEEK))),
  session: z.optional(SessionChoice),
} as const;

const Fields = z.object(fields);

/** `agent.04-design`: the agent of one phase. */
type PhaseSetting = `${"agent" | "reviewer"}.${string}`;
const PHASE_SETTING = /^(?:agent|reviewer)\../;

/** A person's own settings, for every project. */
export type UserSettings = z.infer<typeof Fields> & { readonly [setting in PhaseSetting]?: string };

const SIZE_LIMIT = 64 * 1024;

export type ReadSettings = {
  readonly settings: UserSettings;
  readonly warnings: readonly string[];
  /** The whole file as it is; null where it cannot be understood. */
  readonly found: Readonly<Record<string, unknown>> | null;
  /** Known settings with a value that means nothing. */
  readonly bad: readonly string[];
};

/** Settings fail open, visibly: a bad file counts as empty, a bad value as not set. */
export function readUserSettings(folder: string, files: FileSystem): ReadSettings {
  const path = join(folder, "config.json");
  const bytes = readSmall(files, path, SIZE_LIMIT);
  if (bytes === null) return { settings: {}, warnings: [], found: {}, bad: [] };
  try {
    const found: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(found)) return unreadable(`${path} is not used: it is no JSON object.`);
    const { settings, bad } = parseUserSettings(found);
    const warnings = bad.map((key) => `${path}: ${key} has no valid value and is not used.`);
    return { settings, warnings, found, bad };
  } catch {
    return unreadable(`${path} is not used: it is not JSON.`);
  }
}

const unreadable = (warning: string): ReadSettings => ({ settings: {}, warnings: [warning], found: null, bad: [] });

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

export function writeUserSettings(
  folder: string,
  files: FileSystem,
  settings: Readonly<Record<string, unknown>>,
): void {
  replaceFile(files, join(folder, "config.json"), Buffer.from(`${JSON.stringify(settings, null, 2)}\n`));
}
