import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FileSystem, nodeFiles } from "../src/adapters/files/file-system.ts";
import { openProject, type LocalProject } from "../src/compose/project.ts";
import type { Command, Outcome, StartCommand } from "../src/core/command.ts";
import { currentStep, currentTicket } from "../src/core/next.ts";
import { resolvePlan } from "../src/core/plan.ts";
import type { ActiveRun, RunState } from "../src/core/run.ts";
import type { Step } from "../src/schema/event.ts";
import type { RunId } from "../src/schema/ids.ts";
import { WorkflowDefinition } from "../src/schema/plan.ts";

/** Skips the sync to disk, to create long journals fast. */
export const hastyFiles: FileSystem = { ...nodeFiles, fdatasyncSync: () => {}, fsyncSync: () => {} };

/** A working tree with its own user folders: nothing of the real user is read or written. */
export type Place = { readonly tree: string; readonly env: NodeJS.ProcessEnv };

export function newPlace(scratch: string, name: string): Place {
  const tree = join(scratch, name, "tree");
  mkdirSync(join(tree, ".git"), { recursive: true });
  const env = {
    PATH: process.env["PATH"],
    HOME: join(scratch, name),
    XDG_CONFIG_HOME: join(scratch, name, "config"),
    XDG_STATE_HOME: join(scratch, name, "state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  return { tree, env };
}

export const openPlace = ({ tree, env }: Place, files: FileSystem = nodeFiles): LocalProject =>
  openProject(tree, env, files);

/** `20261115-000000007-aaaa` for 7. */
export const runId = (number: number): RunId => `20261115-${String(number).padStart(9, "0")}-aaaa`;

/** Starts a shipped workflow without supervision. */
export function startCommand(root: string, run: RunId, workflow = "feature"): StartCommand {
  const text = readFileSync(join(root, "workflows", `${workflow}.json`), "utf8");
  const definition = WorkflowDefinition.parse(JSON.parse(text));
  const personas = definition.phases.flatMap(({ persona, reviewer }) => [persona, reviewer ?? persona]);
  const personaDigests = Object.fromEntries(personas.map((name) => [name, "0".repeat(64)]));
  return {
    do: "start",
    facts: {
      run,
      scope: "tree",
      analysed: [],
      workflow: definition.name,
      title: "Show the opening hours on every page",
      item: "docs/requirements/REQ-0001-opening-hours",
      plan: resolvePlan(definition, { mode: "standard", personaDigests }),
      options: {
        mode: "standard",
        light: false,
        commits: "phase",
        finish: "keep",
        sizing: "accept",
        thresholds: { light_max_files: 5, epic_min_files: 20 },
      },
      supervision: { enabled: false, phases: "all" },
      minimalSummary: false,
      agent: { name: "command", digest: "0".repeat(64) },
      reviewer: null,
      git: { branch: "feature/opening-hours", base: "main", commit: "0".repeat(40) },
      tests: null,
      warnings: [],
      by: { name: "ada", channel: "terminal" },
    },
  };
}

/** Alternates a claim and a lost execution: the run grows without end, by one event per decision. */
export function onward(state: RunState): Command {
  const run = opened(state);
  const { stage } = run;
  if (stage.is !== "producing") return reportOn(run);
  if (stage.claim !== null) return report(run, { of: "lost", execution: stage.claim.execution });
  return report(run, { of: "claim", claim: newClaim(run) });
}

/** Returns the report that leads toward the end of the run. */
export function reportOn(run: ActiveRun): Command {
  const { stage } = run;
  if ((stage.is === "producing" || stage.is === "reviewing") && stage.claim === null)
    return report(run, { of: "claim", claim: newClaim(run) });
  return report(run, good[currentStep(run)]);
}

export function opened(state: RunState): ActiveRun {
  if (state.is !== "active") throw new Error(`the run is ${state.is}`);
  return state;
}

/** Creates a run with this number of events, as the first one or after existing ones. */
export async function growRun(root: string, place: Place, size: number | RunSize): Promise<RunId> {
  const { events, after } = typeof size === "number" ? { events: size, after: 0 } : size;
  const { journal } = openPlace(place, hastyFiles);
  const run = runId(after + 1);
  let submitted = await journal.create(run, startCommand(root, run));
  while (submitted.head.seq < events) {
    submitted = await journal.submit(run, onward(submitted.state));
    if (!submitted.ok) throw new Error(`refused: ${submitted.refusal.why}`);
  }
  return run;
}

type RunSize = { readonly events: number; readonly after: number };

/** Creates this number of canceled runs. */
export async function finishRuns(root: string, place: Place, count: number): Promise<void> {
  const { journal } = openPlace(place, hastyFiles);
  for (let number = 1; number <= count; number++) {
    const run = runId(number);
    await journal.create(run, startCommand(root, run));
    await journal.submit(run, CANCEL);
  }
}

const CANCEL: Command = { do: "cancel", by: { name: "ada", channel: "terminal" }, reason: "enough seen" };

export const cancelRun = async (place: Place, run: RunId): Promise<unknown> =>
  openPlace(place, hastyFiles).journal.submit(run, CANCEL);

/** Leaves a run waiting for the user, the usual state of a run. */
export async function bringToRest(place: Place, run: RunId): Promise<void> {
  const { journal } = openPlace(place, hastyFiles);
  const state = opened(journal.load(run).state);
  await journal.submit(
    run,
    report(state, { of: currentStep(state), failed: "stopped", detail: "for a person to look at" }),
  );
}

const report = (run: ActiveRun, outcome: Outcome): Command => ({ do: "report", ticket: currentTicket(run), outcome });

const newClaim = (run: ActiveRun) => ({
  execution: `${run.phases[run.index]?.rule.key}#1.${run.since}`,
  nonce: "0123456789abcdef0123456789abcdef",
  driver: { pid: 4711, started: "123456", boot: "00000000-0000-0000-0000-000000000000" },
});

const execution = { execution: "x", usage: { input: 1200, output: 300, usd: null }, session: null };
const made = {
  artifacts: ["plan.md"],
  changed: [],
  changedSinceSeen: null,
  unexpected: [],
  tree: "a".repeat(40),
  lines: 40,
};
const result = {
  status: "done" as const,
  summary: "The opening hours are read from the settings and shown in the footer",
  decisions: ["one source for the hours", "the footer is rendered on the server"],
  artifacts: ["plan.md"],
  questions: [],
};

const good: { readonly [S in Step]: Outcome } = {
  prepare: { of: "prepare" },
  baseline: { of: "baseline", result: null },
  enter: { of: "enter", commit: "c".repeat(40), tree: "b".repeat(40) },
  produce: { of: "produce", result, ...execution },
  check: { of: "check", results: [{ name: "artifacts", ok: true, detail: "plan.md" }], digest: "", testsChanged: null },
  review: { of: "review", verdict: { approved: true, issues: [], summary: "fine" }, ...execution },
  complete: { of: "complete", made, settings: { is: "absent" }, digest: "d" },
  recheck: { of: "recheck", edited: [], tree: "b".repeat(40), results: [], digest: "d" },
  commit: { of: "commit", commit: "c".repeat(40) },
  measure: { of: "measure", sizing: { recommended: "standard", rationale: "", metrics: null, source: null } },
  refine: { of: "refine", artifact: "tasks.md", tasks: 1, problems: [], ...execution },
  rewind: { of: "rewind", kept: null, restored: [], commit: null },
  finish: { of: "finish", merged: null },
};
