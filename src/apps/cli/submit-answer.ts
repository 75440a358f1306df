import type { PersonCommand } from "../../core/command.ts";
import { decide } from "../../core/decide.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import { createDesk } from "../../adapters/desk/create-desk.ts";
import { rest } from "../../engine/rest.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "./project.ts";

/** Records a person's answer before it takes effect. Refusals are problems; nothing was written then. */
export async function submitAnswer(project: Project, run: RunId, command: PersonCommand): Promise<RunState> {
  const submitted = await project.journal.submit(run, (state) => decide(state, command));
  if (!submitted.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: submitted.refusal });
  rest({ desk: createDesk(project.root, project.files) }, submitted.state, submitted.head);
  return submitted.state;
}
