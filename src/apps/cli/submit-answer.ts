import type { PersonCommand } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import { writeProjections } from "../../engine/write-projections.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "./project.ts";
import { projectionsOf } from "./projections-of.ts";
import { takeBackBuilt } from "./take-back-built.ts";

export type Recorded = {
  readonly state: RunState;
  /** Projections that could not be written; the answer stands. */
  readonly warnings: readonly string[];
};

/** Records a person's answer before it takes effect. Refusals are problems; nothing was written then. */
export async function submitAnswer(project: Project, run: RunId, command: PersonCommand): Promise<Recorded> {
  const submitted = await project.journal.submit(run, command);
  if (!submitted.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: submitted.refusal });
  const { state, head } = submitted;
  const kept = state.is === "ended" ? await takeBackBuilt(project, state, head) : [];
  return { state, warnings: [...kept, ...writeProjections({ projections: projectionsOf(project) }, state, head)] };
}
