import { type Invocation, text } from "../../src/surfaces/cli/invocation/verb.ts";
import { ProblemError } from "../../src/core/problem.ts";

/** Reads a non-negative number from an option, or returns the default. @throws ProblemError USAGE */
export function readNumber({ values, verb }: Invocation, option: string, otherwise: number): number {
  const said = text(values, option);
  if (said === undefined) return otherwise;
  const number = Number(said);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new ProblemError({ code: "USAGE", detail: `--${option} takes a number.`, usage: verb.usage });
}

const DEFAULT_COPY_GB = 20;

/** Reads the maximum size of the server's copy of a repository, in bytes. @throws ProblemError USAGE */
export const readMaxCopyBytes = (invocation: Invocation): number =>
  readNumber(invocation, "copy-limit", DEFAULT_COPY_GB) * 1e9;

type Secret = { readonly option: string; readonly variable: string };

/** Reads a secret and deletes it from the environment, to hide it from every process started later. */
export function givenSecret({ values, env }: Invocation, { option, variable }: Secret): string | undefined {
  const value = text(values, option) ?? env[variable];
  delete env[variable];
  delete process.env[variable];
  return value === "" ? undefined : value;
}

/** Like `givenSecret`, for a required secret. @throws ProblemError USAGE */
export function readSecret(invocation: Invocation, secret: Secret): string {
  const value = givenSecret(invocation, secret);
  if (value !== undefined) return value;
  const detail = `Give it with --${secret.option}, or in the variable ${secret.variable}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: invocation.verb.usage });
}
