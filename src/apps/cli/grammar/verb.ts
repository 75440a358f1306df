import type { Credential } from "../../../app/authorize/credential.ts";
import { type Limit, limitValues, readLimit } from "../../../app/start/limits.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ExecutionLimits } from "../../../schema/plan.ts";
import type { Io } from "../terminal/io.ts";

/** Who may use a verb: anyone; anyone but an agent, as it only begins work; a person only; or a session at work. */
export type Kind = "read" | "begin" | "decide" | "work";

export type Option = {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** What the value is called in help. */
  readonly value?: string;
  readonly values?: readonly string[];
  /** True where a colon and more may follow one of the values; what that is, is for the verb to check. */
  readonly qualified?: true;
  /** True where it may be given more than once; the verb gets one text, a line for each. */
  readonly repeatable?: true;
  readonly about: string;
};

/** A verb as data: parsing, help, completion and the docs all come from this. */
export type Verb = {
  readonly name: string;
  readonly kind: Kind;
  readonly summary: string;
  readonly usage: string;
  /** True where something is said beside its options: a title, a phase, an item. */
  readonly takesWords?: true;
  /** Other names of the same. */
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
  /** What the person who speaks offers, where another surface hands a verb on; otherwise a token or the terminal. */
  readonly credential?: Credential;
};

/** What a verb came to: the exit code, the lines for people and the one object for programs. */
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

/** Other limits for what is tried again; undefined where none are named. */
export function otherLimits(values: Values): ExecutionLimits | undefined {
  const limits = { turns: askedLimit(values, "max-turns"), minutes: askedLimit(values, "max-minutes") };
  return limits.turns === null && limits.minutes === null ? undefined : limits;
}

/** The amount an option names; null without it. @throws ProblemError USAGE */
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
