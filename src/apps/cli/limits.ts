import type { UserSettings } from "../../schema/user-settings.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ExecutionLimits, RunOptions } from "../../schema/plan.ts";
import { text, type Values } from "./grammar/verb.ts";

export type Limit = "max-usd" | "max-tokens" | "max-turns" | "max-minutes";

type Amount = { readonly form: RegExp; readonly most: number; readonly valid: string };

const WEEK = 7 * 24 * 60; // minutes; a timer of Node holds three times as much
const whole = (most: number): Amount => ({ form: /^[0-9]+$/, most, valid: "<whole number>" });

const amounts: Readonly<Record<Limit, Amount>> = {
  "max-usd": { form: /^[0-9]+(?:\.[0-9]{1,4})?$/, most: 1_000_000, valid: "<dollars>" },
  "max-tokens": whole(1_000_000_000_000),
  "max-turns": whole(100_000),
  "max-minutes": { form: /^[0-9]+(?:\.[0-9]{1,3})?$/, most: WEEK, valid: "<minutes>" },
};

export const LIMITS = Object.keys(amounts) as readonly Limit[]; // the keys just written

export const limitValues = (limit: Limit): string => amounts[limit].valid;

/** Undefined for what is no amount, nothing at all, or more than there is. */
export function readLimit(limit: Limit, said: string): number | undefined {
  const { form, most } = amounts[limit];
  const amount = form.test(said) ? Number(said) : 0;
  return amount > 0 && amount <= most ? amount : undefined;
}

/** What a run and its executions may use: as asked, else as the person set, else without limit. */
export function resolveLimits(
  values: Values,
  settings: UserSettings,
): Pick<RunOptions, "budget" | "limits" | "session"> {
  const limit = (name: Limit): number | null => asked(values, name) ?? settings[name] ?? null;
  const budget = { usd: limit("max-usd"), tokens: limit("max-tokens") };
  const limits = { turns: limit("max-turns"), minutes: limit("max-minutes") };
  const session = (text(values, "session") ?? settings.session) as RunOptions["session"]; // the catalog allows no other
  const isSet = (amount: number | null): boolean => amount !== null;
  return {
    ...(Object.values(budget).some(isSet) ? { budget } : {}),
    ...(Object.values(limits).some(isSet) ? { limits } : {}),
    ...(session === undefined ? {} : { session }),
  };
}

/** Other limits for what is tried again; undefined where none are named. */
export function otherLimits(values: Values): ExecutionLimits | undefined {
  const limits = { turns: asked(values, "max-turns"), minutes: asked(values, "max-minutes") };
  return limits.turns === null && limits.minutes === null ? undefined : limits;
}

function asked(values: Values, name: Limit): number | null {
  const said = text(values, name);
  if (said === undefined) return null;
  const amount = readLimit(name, said);
  if (amount !== undefined) return amount;
  throw new ProblemError({
    code: "USAGE",
    detail: `--${name} "${said}" is no amount.`,
    usage: `--${name} ${limitValues(name)}`,
  });
}
