import type { PersonCommand } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import { writeProjections } from "../../engine/write-projections.ts";
import type { Head } from "../../ports/journal.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { Project } from "./project.ts";

export type CurrentRun = { readonly run: RunId | null; readonly state: RunState; readonly head: Head };

const nothing: CurrentRun = { run: null, state: noRun, head: { seq: 0, hash: "" } };

/** Loads the named run, or the newest of this working tree. */
export async function currentRun({ journal }: Pick<Project, "journal">, named?: string): Promise<CurrentRun> {
  if (named === undefined) return (await journal.current()) ?? nothing;
  if (!isRunId(named)) throw unusable(`Invalid run id "${plainLine(named, 80)}".`);
  const loaded = await journal.load(named);
  if (loaded.state.is === "none") throw unusable(`There is no run ${named} here.`);
  return { run: named, ...loaded };
}

const unusable = (detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: "isdlc status --run <id>" });

export type RecordResult = {
  readonly state: RunState;
  readonly head: Head;
  /** Projections that could not be written. The decision stays recorded. */
  readonly warnings: readonly string[];
};

/**
 * Records a user's decision before it takes effect.
 * @throws ProblemError if refused. Nothing was written then.
 */
export async function record(
  { journal, projections }: Pick<Project, "journal" | "projections">,
  run: RunId,
  command: PersonCommand,
): Promise<RecordResult> {
  const submitted = await journal.submit(run, command);
  if (!submitted.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: submitted.refusal });
  const { state, head } = submitted;
  return { state, head, warnings: writeProjections({ projections }, state, head) };
}

/** Writes the projections that a program did not write because it was killed as its run ended. */
export function catchUp({ projections }: Pick<Project, "projections">, { state, head }: CurrentRun): void {
  if (state.is === "ended" && projections.isActive()) writeProjections({ projections }, state, head);
}
