import { createGitWorkspace } from "../src/adapters/git/git-workspace.ts";
import { decide } from "../src/core/decide/decide.ts";
import { evolve } from "../src/core/evolve/evolve.ts";
import { currentTicket } from "../src/core/next.ts";
import type { ActiveRun, RunState } from "../src/core/run.ts";
import { shownChanges } from "../src/engine/shown-changes.ts";
import { completePhase } from "../src/engine/steps/phase-ends.ts";
import { gateBanner } from "../src/views/gate-banner.ts";
import type { Settings } from "./benches.ts";
import { newRepository, type BenchRepository, sourcePath } from "./git-place.ts";
import { type Cost, interleave, least, mean, median, type Samples, timedWithChildren } from "./measure.ts";
import type { ReportLine } from "./report.ts";
import { opened } from "./sample-run.ts";
import { completingRun, engineFor } from "./summary.ts";
import { changesText } from "../src/views/changes-text.ts";

const GATE_REPOSITORY_FILES = 500;
const CHANGED_FILES_AT_GATE = 50;
const LONG = 10_000; // lines
const MOST_WAIT = 150; // milliseconds

/** Measures how long a user waits for a gate after the checks passed, and for a long diff after requesting it. */
export async function measureGate({ root, scratch, quick }: Settings): Promise<readonly ReportLine[]> {
  const repository = newRepository(scratch, "gate", GATE_REPOSITORY_FILES);
  const { supervised, fresh, gate } = await gateIn(root, repository);
  const first = await interleave(quick ? 5 : 20, { gate });

  repository.write(
    sourcePath(0),
    Array.from({ length: LONG }, (_, line) => `export const line${line} = 0;`).join("\n"),
  );
  const whole = engineFor(repository, supervised, fresh());
  const run = await completed(whole, supervised);
  const page = async (): Promise<void> => {
    const changes = await shownChanges(engineFor(repository, supervised, fresh()), run);
    if (changes === null || changesText(changes).split("\n").length < LONG) throw new Error("the diff is not whole");
  };
  const second = await interleave(quick ? 5 : 20, { page: () => timedWithChildren(page) });
  return [
    ...waitingLines(`a gate with ${CHANGED_FILES_AT_GATE} changed files, after the checks`, first.gate, MOST_WAIT),
    ...waitingLines("a diff of 10,000 lines, ready for the pager", second.page, MOST_WAIT),
  ];
}

/**
 * Returns a function that measures showing a gate, repeatedly. In its run, a phase changed 50 files and the checks
 * passed.
 */
export async function gateIn(root: string, repository: BenchRepository) {
  const fresh = () => createGitWorkspace(repository.tree, { run: "bench", env: process.env });
  const from = await fresh().snapshot("before", []);
  const supervised = { ...completingRun(root, from), supervision: { enabled: true, phases: "all" as const } };
  let round = 0;
  /** Scans the tree before the changes and takes a snapshot after them, like the engine in a run. */
  const gate = async (): Promise<Cost> => {
    const engine = engineFor(repository, supervised, fresh());
    await engine.workspace.now([supervised.run.item]);
    round++;
    for (let number = 0; number < CHANGED_FILES_AT_GATE; number++)
      repository.write(sourcePath(number * 3), `export const changed = ${number + round * CHANGED_FILES_AT_GATE};\n`);
    await engine.workspace.snapshot("checked", [supervised.run.item]);
    return timedWithChildren(async () => {
      const run = await completed(engine, supervised);
      const changes = await shownChanges(engine, run);
      if (gateBanner(run, { changes })?.includes(`${CHANGED_FILES_AT_GATE} files`) !== true)
        throw new Error("the gate is not whole");
    });
  };
  return { supervised, fresh, gate };
}

/**
 * Returns lines with a goal for the wall time only, as this is what a user waits for. The CPU time shows how much of
 * it is other work of the machine.
 */
export function waitingLines(what: string, { wall, cpu }: Samples, goal: number): ReportLine[] {
  const waited = [
    { name: "min", value: least(wall) },
    { name: "p50", value: median(wall) },
  ];
  return [
    { what, base: "-", figures: waited, goal, unit: " ms" },
    { what: "  CPU of it", base: "-", figures: [{ name: "mean", value: mean(cpu) }], goal: null, unit: " ms" },
  ];
}

async function completed(engine: Parameters<typeof completePhase>[0], run: ActiveRun): Promise<ActiveRun> {
  const outcome = await completePhase(engine, { run, step: "complete", ticket: "" });
  if (outcome === null) throw new Error("nothing was completed");
  const decision = decide(run, { do: "report", ticket: currentTicket(run), outcome });
  if (!decision.ok) throw new Error(`refused: ${decision.refusal.why}`);
  let state: RunState = run;
  for (const [index, event] of decision.events.entries())
    state = evolve(state, { ...event, seq: run.seq + index + 1, at: "2026-11-15T10:15:00.000Z" });
  return opened(state);
}
