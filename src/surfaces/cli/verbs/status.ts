import { currentRun } from "../../../app/project/current-run.ts";
import { flag, type Run, text } from "../invocation/verb.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { showNext, showStatus } from "./plain-status.ts";

/** Shows the state of the run. An ended run is shown only if its id is given. */
export const status: Run = async (invocation) => {
  const { values } = invocation;
  const project = openInvokedProject(invocation);
  const named = text(values, "run");
  const { state } = await currentRun(project, named);
  return showStatus(project, state, { named: named !== undefined, json: flag(values, "json") });
};

/** Prints the next step in one line. */
export const nextVerb: Run = async (invocation) => {
  const { state } = await currentRun(openInvokedProject(invocation), text(invocation.values, "run"));
  return showNext(state);
};
