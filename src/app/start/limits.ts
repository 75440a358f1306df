import type { UserSettings } from "../../schema/user-settings.ts";
import type { RunOptions } from "../../schema/plan.ts";
import type { RunWishes } from "./run-request.ts";

export type Limit = "max-usd" | "max-tokens" | "max-turns" | "max-minutes";

type Amount = { readonly form: RegExp; readonly most: number; readonly valid: string };

const WEEK = 7 * 24 * 60; // minutes; a Node timer can hold three times as much
const whole = (most: number): Amount => ({ form: /^[0-9]+$/, most, valid: "<whole number>" });

const amounts: Readonly<Record<Limit, Amount>> = {
  "max-usd": { form: /^[0-9]+(?:\.[0-9]{1,4})?$/, most: 1_000_000, valid: "<dollars>" },
  "max-tokens": whole(1_000_000_000_000),
  "max-turns": whole(100_000),
  "max-minutes": { form: /^[0-9]+(?:\.[0-9]{1,3})?$/, most: WEEK, valid: "<minutes>" },
};

export const LIMITS = Object.keys(amounts) as readonly Limit[]; // keys of the object above

export const limitValues = (limit: Limit): string => amounts[limit].valid;

/** Returns undefined for an invalid amount, zero, or more than the maximum. */
export function readLimit(limit: Limit, said: string): number | undefined {
  const { form, most } = amounts[limit];
  const amount = form.test(said) ? Number(said) : 0;
  return amount > 0 && amount <= most ? amount : undefined;
}

/** Returns the limits of a run and its executions: from the request, else from the user's settings, else unlimited. */
export function planLimits(
  { budget: money = {}, limits: execution = {}, session }: Pick<RunWishes, "budget" | "limits" | "session">,
  settings: UserSettings,
): Pick<RunOptions, "budget" | "limits" | "session" | "redos"> {
  const wished: Readonly<Record<Limit, number | null | undefined>> = {
    "max-usd": money.usd,
    "max-tokens": money.tokens,
    "max-turns": execution.turns,
    "max-minutes": execution.minutes,
  };
  const limit = (name: Limit): number | null => wished[name] ?? settings[name] ?? null;
  const budget = { usd: limit("max-usd"), tokens: limit("max-tokens") };
  const limits = { turns: limit("max-turns"), minutes: limit("max-minutes") };
  const whose = session ?? settings.session;
  const redos = settings["redo.limit"];
  const isSet = (amount: number | null): boolean => amount !== null;
  return {
    ...(Object.values(budget).some(isSet) ? { budget } : {}),
    ...(Object.values(limits).some(isSet) ? { limits } : {}),
    ...(whose === undefined ? {} : { session: whose }),
    ...(redos === undefined ? {} : { redos }),
  };
}
