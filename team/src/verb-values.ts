import { type Invocation, text } from "../../src/apps/cli/grammar/verb.ts";
import { ProblemError } from "../../src/core/problem.ts";

/** A positive number that an option gives; the default where it is left out. @throws ProblemError USAGE */
export function readNumber({ values, verb }: Invocation, option: string, otherwise: number): number {
  const said = text(values, option);
  if (said === undefined) return otherwise;
  const number = Number(said);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new ProblemError({ code: "USAGE", detail: `--${option} takes a number.`, usage: verb.usage });
}

type Secret = { readonly option: string; readonly variable: string };

/** What must not be in the environment of anything that is started from here. */
export function givenSecret({ values, env }: Invocation, { option, variable }: Secret): string | undefined {
  const value = text(values, option) ?? env[variable];
  delete env[variable];
  delete process.env[variable];
  return value === "" ? undefined : value;
}

/** The same, where it is needed. @throws ProblemError USAGE */
export function readSecret(invocation: Invocation, secret: Secret): string {
  const value = givenSecret(invocation, secret);
  if (value !== undefined) return value;
  const detail = `Give it with --${secret.option}, or in the variable ${secret.variable}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: invocation.verb.usage });
}
