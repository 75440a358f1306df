import { ProblemError } from "../../../core/problem.ts";
import type { Decisions } from "../../../app/start/choices.ts";
import type { RunRequest, RunWishes } from "../../../app/start/run-request.ts";
import type { Commits, Mode, RunOptions } from "../../../schema/plan.ts";
import { askedAgents } from "./agents.ts";
import { askedLimit, flag, type Invocation, text, type Values } from "../invocation/verb.ts";

type RequestedWork = Omit<RunRequest, "usage" | "decisions" | "wishes">;

/** Builds the request of a starting command from its options. */
export function runRequest({ values, verb }: Pick<Invocation, "values" | "verb">, wanted: RequestedWork): RunRequest {
  return { ...wanted, usage: verb.usage, decisions: readDecisions(values), wishes: readWishes(values) };
}

export const readMode = (values: Values): Mode => (text(values, "mode") ?? "standard") as Mode; // the catalog allows no other value

/** `--yes` accepts the defaults of confirmations; a choice with its own option is decided by that option. */
function readDecisions(values: Values): Decisions {
  const isAgreed = flag(values, "yes");
  const tests = text(values, "tests") ?? (isAgreed ? "trust" : undefined);
  const hooks = text(values, "hooks") ?? (isAgreed ? "trust" : undefined);
  const chosen = { stale: text(values, "on-stale"), partial: text(values, "on-partial"), tests, hooks };
  return {
    ...Object.fromEntries(Object.entries(chosen).filter(([, option]) => option !== undefined)),
    ...(isAgreed
      ? { proceed: "yes", analysis: "yes", git: "no-git", skips: "yes", place: "yes", tasks: "yes", another: "yes" }
      : {}),
    ...(isAgreed || flag(values, "allow-dirty") ? { dirty: "allow-dirty" } : {}),
  };
}

/**
 * Undefined leaves the decision to the project's settings.
 * @throws ProblemError USAGE for contradicting options.
 */
function wantsGates(values: Values): boolean | undefined {
  const wished = ["supervised", "review"].find((name) => values[name] !== undefined);
  if (!flag(values, "no-supervised")) return flag(values, "supervised") || undefined;
  if (wished === undefined) return false;
  const detail = `--no-supervised and --${wished} contradict each other.`;
  throw new ProblemError({ code: "USAGE", detail, usage: "--no-supervised, --supervised or --review 03,06" });
}

/** The catalog allows only the values of these types. */
function readWishes(values: Values): RunWishes {
  const review = text(values, "review");
  return {
    mode: text(values, "mode") as Mode | undefined,
    light: flag(values, "light"),
    isSupervised: wantsGates(values),
    review: review?.split(",").map((name) => name.trim()),
    ...askedAgents(values),
    budget: { usd: askedLimit(values, "max-usd"), tokens: askedLimit(values, "max-tokens") },
    limits: { turns: askedLimit(values, "max-turns"), minutes: askedLimit(values, "max-minutes") },
    session: text(values, "session") as RunOptions["session"],
    sandbox: text(values, "sandbox"),
    git: !flag(values, "no-git"),
    merges: flag(values, "merge"),
    commits: text(values, "commits") as Commits | undefined,
    acceptsSize: flag(values, "yes"),
    acceptsRedTests: flag(values, "yes"),
    startPhase: text(values, "start-phase"),
  };
}
