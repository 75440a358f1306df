import { currentRun } from "../../../app/project/current-run.ts";
import { openElsewhere } from "../../../compose/open-elsewhere.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { analysedItems } from "../../../compose/project-location.ts";
import { itemProject, openProject, type LocalProject } from "../../../compose/project.ts";
import { type Invocation, text } from "./verb.ts";

/** Opens the project of a command: the run of the working tree, or with --item the analysis of that item. */
export function openInvokedProject({ cwd, env, values }: Pick<Invocation, "cwd" | "env" | "values">): LocalProject {
  const project = openProject(cwd, env);
  const wanted = text(values, "item");
  if (wanted === undefined) return project;
  const names = analysedItems(project);
  const found = names.find((name) => name === wanted) ?? names.find((name) => name.endsWith(`-${wanted}`));
  if (found !== undefined) return itemProject(project, found);
  const detail = `No analysis of "${wanted}" was started here${names.length === 0 ? "" : `; there are ${names.join(", ")}`}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: "isdlc analyze <item>" });
}

/**
 * Opens the current run.
 * @throws ProblemError NO_RUN if no run is open.
 */
export async function openRun(invocation: Invocation): Promise<{ project: LocalProject; run: ActiveRun }> {
  const { values } = invocation;
  const project = openInvokedProject(invocation);
  const { state } = await currentRun(project, text(values, "run"));
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: openElsewhere(project) });
  return { project, run: state };
}
