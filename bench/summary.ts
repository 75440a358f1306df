import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createGitWorkspace } from "../src/adapters/git/git-workspace.ts";
import { composeEngine } from "../src/compose/compose-engine.ts";
import { decide } from "../src/core/decide/decide.ts";
import { evolve } from "../src/core/evolve/evolve.ts";
import { type ActiveRun, noRun, type RunState } from "../src/core/run.ts";
import { noProgress } from "../src/ports/progress.ts";
import type { Command } from "../src/core/command.ts";
import type { Engine } from "../src/engine/engine.ts";
import type { Workspace } from "../src/ports/workspace.ts";
import { completePhase } from "../src/engine/steps/phase-ends.ts";
import { generatePhaseSummary } from "../src/index.ts";
import { nothing, renderPhaseSummary } from "../src/views/summary.ts";
import type { Settings } from "./benches.ts";
import { newRepository, type BenchRepository, sourcePath } from "./git-place.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import { averagedRatios, type ReportLine, milliseconds } from "./report.ts";
import { openPlace, opened, reportOn, runId, startCommand } from "./sample-run.ts";

const SUMMARY_REPOSITORY_FILES = 500;
const CHANGED_FILES_IN_SUMMARY = 50;
const execute = promisify(execFile);

/** Measures creating the summary of a phase, compared to one git call. */
export async function measureSummary({ root, scratch, quick }: Settings): Promise<readonly ReportLine[]> {
  const repository = newRepository(scratch, "summary", SUMMARY_REPOSITORY_FILES);
  const { tree, env } = repository;
  const workspace = createGitWorkspace(tree, { run: "bench", env: process.env });
  const from = await workspace.snapshot("before", []);
  const commit = repository.git("rev-parse", "HEAD");
  change(repository);
  const to = await workspace.snapshot("after", []);
  const completing = completingRun(root, from);
  /**
   * Prepares a workspace as in a run after its first phase: a snapshot exists, the long-running git process is
   * started, and nothing is compared yet.
   */
  const inRun = async (): Promise<Workspace> => {
    const fresh = createGitWorkspace(tree, { run: "bench", env: process.env });
    const made = await fresh.snapshot("after", []);
    await fresh.lines(made, from, ["nothing"]);
    return { ...fresh, snapshot: () => Promise.resolve(made) };
  };
  const phase = completing.phases[0]?.rule.key ?? "";
  const state = { phases: { [phase]: { status: "completed", start_commit: commit, summary: "a, b" } } };
  const samples = await interleave(quick ? 10 : 40, {
    git: () => timedWithChildren(() => execute("git", ["diff", "--name-status", commit, "HEAD"], { cwd: tree, env })),
    diff: async () => {
      const fresh = await inRun();
      return timedWithChildren(async () => {
        const changed = await fresh.diff(from, to);
        if (changed?.length !== CHANGED_FILES_IN_SUMMARY) throw new Error(`${changed?.length} files changed`);
        renderPhaseSummary({ ...nothing, number: "01", name: "Phase", changed }, { minimal: false });
      });
    },
    complete: async () => {
      const engine = engineFor(repository, completing, await inRun());
      return timedWithChildren(() => completePhase(engine, { run: completing, step: "complete", ticket: "" }));
    },
    library: () =>
      timedWithChildren(() => {
        if (generatePhaseSummary(state, phase, tree) === null) throw new Error("no summary was written");
      }),
  });
  const base = `git diff --name-status A HEAD, min ${milliseconds(least(samples.git.wall))}`;
  return [
    {
      what: "summary of 50 changed files: diff and text",
      base,
      figures: averagedRatios({ of: samples.diff, to: samples.git }),
      goal: 2,
      unit: "x",
    },
    {
      what: "generatePhaseSummary of the library",
      base,
      figures: averagedRatios({ of: samples.library, to: samples.git }),
      goal: 3,
      unit: "x",
    },
    {
      what: "all a phase's end does after its snapshot",
      base,
      figures: averagedRatios({ of: samples.complete, to: samples.git }),
      goal: 3,
      unit: "x",
    },
  ];
}

function change({ git, write }: BenchRepository): void {
  for (let number = 0; number < CHANGED_FILES_IN_SUMMARY; number++)
    write(sourcePath(number * 3), `export const changed = ${number};\n`);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Second");
}

/** Returns a run whose first phase, started with the given tree, is about to be completed. */
export function completingRun(root: string, tree: string | null): ActiveRun {
  let state: RunState = noRun;
  let seq = 0;
  const submit = (command: Command): void => {
    const decision = decide(state, command);
    if (!decision.ok) throw new Error(`refused: ${decision.refusal.why}`);
    for (const draft of decision.events) {
      const event = draft.type === "attempt.started" ? { ...draft, tree } : draft;
      state = evolve(state, { ...event, seq: ++seq, at: "2026-11-15T10:15:00.000Z" });
    }
  };
  submit(startCommand(root, runId(1)));
  while (opened(state).stage.is !== "completing") submit(reportOn(opened(state)));
  return opened(state);
}

/** Composes the engine like the program, but with the given workspace, whose snapshot exists already. */
export function engineFor(repository: BenchRepository, run: ActiveRun, workspace: Workspace): Engine {
  const agent = { name: "command", argv: [process.execPath] };
  const engine = composeEngine(openPlace(repository), run, {
    agents: { phase: agent, reviewer: agent },
    progress: noProgress,
    warn: () => {},
  });
  return { ...engine, workspace };
}
