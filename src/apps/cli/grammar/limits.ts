import { type Limit, limitValues, readLimit } from "../../../app/start/limits.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ExecutionLimits } from "../../../schema/plan.ts";
import { text, type Values } from "./verb.ts";

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
