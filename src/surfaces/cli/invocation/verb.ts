import { type Limit, limitValues, readLimit } from "../../../app/start/limits.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ExecutionLimits } from "../../../schema/plan.ts";
import type { Io } from "./io.ts";
import type { Credential } from "../../../app/authorize/authorize.ts";

/**
 * Who may use a command. `read`: anyone. `begin`: anyone but an agent, as it only starts work. `decide`: only a
 * person. `work`: a session that does the work of a phase.
 */
export type Kind = "read" | "begin" | "decide" | "work";

export type Option = {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** Name of the value in help. */
  readonly value?: string;
  readonly values?: readonly string[];
  /** True if a colon and further text may follow a value. The command checks that text. */
  readonly qualified?: true;
  /** True if the option may be repeated. The command receives one text, with one line per value. */
  readonly repeatable?: true;
  readonly about: string;
};

/** A command as data: the source of parsing, help, completion and the reference. */
export type Verb = {
  readonly name: string;
  readonly kind: Kind;
  readonly summary: string;
  readonly usage: string;
  /** True if the command takes further arguments, such as a title, a phase or an item. */
  readonly takesWords?: true;
  readonly aliases?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
};

export const verb = (name: string, kind: Kind, rest: Omit<Verb, "name" | "kind">): Verb => ({ name, kind, ...rest });

export const verbWithWords: typeof verb = (name, kind, rest) => ({ ...verb(name, kind, rest), takesWords: true });

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export type Invocation = {
  readonly verb: Verb;
  readonly values: Values;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly io: Io;
  /**
   * The caller's credential, if another interface passes the command on. Without it, a token or the terminal is the
   * credential.
   */
  readonly credential?: Credential;
};

/** Result of a command: the exit code, the lines for users, and one object for programs. */
export type Result = {
  readonly code: 0 | 1 | 2 | 3 | 130 | 143;
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
};

export type Run = (invocation: Invocation) => Promise<Result>;

export const done = (lines: readonly string[], json: Readonly<Record<string, unknown>> = {}): Result => ({
  code: 0,
  lines,
  json: { ok: true, ...json },
});

export const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};

export const flag = (values: Values, name: string): boolean => values[name] === true;

/** Reads changed limits for a retry; undefined if no option sets one. */
export function otherLimits(values: Values): ExecutionLimits | undefined {
  const limits = { turns: askedLimit(values, "max-turns"), minutes: askedLimit(values, "max-minutes") };
  return limits.turns === null && limits.minutes === null ? undefined : limits;
}

/**
 * Reads the amount of an option; null without it.
 * @throws ProblemError USAGE
 */
export function askedLimit(values: Values, name: Limit): number | null {
  const said = text(values, name);
  if (said === undefined) return null;
  const amount = readLimit(name, said);
  if (amount !== undefined) return amount;
  throw new ProblemError({
    code: "USAGE",
    detail: `Invalid value "${said}" for --${name} (expected ${limitValues(name).replaceAll(/[<>]/g, "")}).`,
    usage: `--${name} ${limitValues(name)}`,
  });
}
