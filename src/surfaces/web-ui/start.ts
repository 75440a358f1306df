import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Choice, StartRequest } from "../../schema/api-project.ts";
import { ownValue } from "../../core/own-value.ts";
import type { ActiveRun } from "../../core/run.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { RunId } from "../../schema/ids.ts";
import type { ApiProblem } from "../../schema/api.ts";
import type { ServedRepository } from "./repository.ts";

export type StartResult =
  | { readonly is: "started"; readonly run: RunId | null }
  | { readonly is: "asks"; readonly choice: Choice }
  | { readonly is: "refused"; readonly problem: ApiProblem };

const START_TIMEOUT_MS = 60_000;
const START_POLL_INTERVAL_MS = 100;
const MAX_OUTPUT = 1024 * 1024;

/**
 * Starts work in a separate isdlc process. It asks the same questions as in a terminal, and continues the run after
 * the web UI is closed. Resolves as soon as a run exists or the process has ended, or after 60 seconds.
 */
export function start(repository: ServedRepository, request: StartRequest): Promise<StartResult> {
  const { here } = repository;
  const open = NEEDS_TREE.has(request.what) ? openRunIn(repository) : null;
  if (open !== null) return Promise.resolve(occupied(open));
  const before = newestRuns(repository);
  const child = spawn(process.execPath, [join(import.meta.dirname, "isdlc.cjs"), ...toArguments(request)], {
    cwd: here.root,
    env: here.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-MAX_OUTPUT)));
  return new Promise((resolve) => {
    const end = (started: StartResult): void => {
      clearInterval(timer);
      clearTimeout(patience);
      child.unref();
      resolve(started);
    };
    const look = (): void => {
      const run = newestRuns(repository).find((id) => !before.includes(id));
      if (run !== undefined) end({ is: "started", run });
    };
    const timer = setInterval(look, START_POLL_INTERVAL_MS);
    const patience = setTimeout(() => end({ is: "started", run: null }), START_TIMEOUT_MS);
    child.on("error", (error) => end(refusal(error.message)));
    child.on("close", () => end(outcome(said)));
  });
}

/**
 * Requests refused while a run is open, which the program would continue instead. Analyses and new items do not use
 * the working tree.
 */
const NEEDS_TREE: ReadonlySet<StartRequest["what"]> = new Set(["run", "build"]);

function openRunIn({ here }: ServedRepository): ActiveRun | null {
  const newest = here.journal.newest();
  const state = newest === null ? null : here.journal.load(newest).state;
  return state?.is === "active" ? state : null;
}

const occupied = ({ run }: ActiveRun): StartResult => ({
  is: "refused",
  problem: {
    code: "RUN_OPEN",
    what: `Nothing was started: the run "${plainLine(run.title, 100)}" is still open in this working tree.`,
    fix: "Finish or cancel that run first. What you wrote stays here.",
  },
});

/** Lists the newest run of each working tree and of each item's analysis, which has a separate journal. */
const newestRuns = (repository: ServedRepository): RunId[] =>
  repository.places().flatMap(({ project }) => project.journal.newest() ?? []);

/** Passes choices as flags. The user's text comes last, after `--`, to prevent parsing it as a flag. */
function toArguments({ what, workflow, title, isSupervised, mode, choices }: StartRequest): string[] {
  const chosen = choices.filter(isOffered).flatMap(({ flag, option }) => (VALUED.has(flag) ? [flag, option] : [flag]));
  const verb = what === "run" ? ["run", workflow] : [what];
  const options =
    what === "add" ? [] : [...(isSupervised ? ["--supervised"] : []), ...(mode === undefined ? [] : ["--mode", mode])];
  return [...verb, "--json", ...options, ...chosen, "--", title];
}

const VALUED: ReadonlySet<string> = new Set(["--on-stale", "--on-partial", "--tests", "--hooks"]);

/** Returns false for a choice of the test command itself, which is possible only in a terminal. */
const isOffered = ({ flag, option }: StartRequest["choices"][number]): boolean =>
  flag !== "--tests" || option === "trust" || option === "without";

function outcome(said: string): StartResult {
  const told = parsed(said);
  const choice = ownValue(told, "choice");
  const problem = ownValue(told, "problem");
  if (choice !== undefined) return { is: "asks", choice: choice as Choice }; // written by isdlc in this form
  if (problem !== undefined) return { is: "refused", problem: problem as ApiProblem }; // written by isdlc in this form
  const run = ownValue(ownValue(told, "run"), "id");
  return told === null
    ? refusal("The program ended without any output.")
    : { is: "started", run: typeof run === "string" ? run : null };
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return null;
  }
}

const refusal = (what: string): StartResult => ({
  is: "refused",
  problem: { code: "AGENT_FAILED", what, fix: "Start it in a terminal." },
});
