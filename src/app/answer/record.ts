import type { PersonCommand } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import { writeProjections } from "../../engine/write-projections.ts";
import type { Head } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

export type Recorded = {
  readonly state: RunState;
  readonly head: Head;
  /** Projections that could not be written; the decision stands. */
  readonly warnings: readonly string[];
};

/** Records a person's decision before it takes effect. Refusals are problems; nothing was written then. */
export async function record(
  { journal, projections }: Pick<Project, "journal" | "projections">,
  run: RunId,
  command: PersonCommand,
): Promise<Recorded> {
  const submitted = await journal.submit(run, command);
  if (!submitted.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: submitted.refusal });
  const { state, head } = submitted;
  return { state, head, warnings: writeProjections({ projections }, state, head) };
}
