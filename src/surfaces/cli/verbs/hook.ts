import { currentRun } from "../../../app/project/current-run.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import { noRun, type RunState } from "../../../core/run.ts";
import { flag, type Run } from "../invocation/verb.ts";
import { showSessionStart } from "./session-start.ts";

/** Prints the context of a new agent session. An unreadable run never fails a session. */
export const hook: Run = async ({ words, cwd, env, values, verb }) => {
  if (words[0] !== "session-start")
    throw new ProblemError({ code: "USAGE", detail: "The only event is session-start.", usage: verb.usage });
  const project = openProject(cwd, env);
  return showSessionStart(project, await readState(project), { cwd, json: flag(values, "json") });
};

/** Without an open run or with an unreadable journal, returns no run: `isdlc doctor` reports the reason. */
async function readState(project: LocalProject): Promise<RunState> {
  try {
    return (await currentRun(project)).state;
  } catch (error) {
    if (error instanceof ProblemError) return noRun;
    throw error;
  }
}
