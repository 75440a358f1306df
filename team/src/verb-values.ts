import { type Invocation, text } from "../../src/apps/cli/grammar/verb.ts";
import { ProblemError } from "../../src/core/problem.ts";

/** A positive number that an option gives; the default where it is left out. @throws ProblemError USAGE */
export function numberOf({ values, verb }: Invocation, option: string, otherwise: number): number {
  const said = text(values, option);
  if (said === undefined) return otherwise;
  const number = Number(said);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new ProblemError({ code: "USAGE", detail: `--${option} takes a number.`, usage: verb.usage });
}

type Secret = { readonly option: string; readonly variable: string };

/** What must not be in the environment of anything that is started from here. @throws ProblemError USAGE where it is missing */
export function secretOf({ values, env, verb }: Invocation, { option, variable }: Secret): string {
  const value = text(values, option) ?? env[variable];
  delete env[variable];
  delete process.env[variable];
  if (value !== undefined && value !== "") return value;
  const detail = `Give it with --${option}, or in the variable ${variable}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: verb.usage });
}
