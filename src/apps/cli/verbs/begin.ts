import { createDesk } from "../../../adapters/desk/create-desk.ts";
import { loadWorkflow, workflowNames } from "../../../adapters/definitions/definitions.ts";
import { ProblemError } from "../../../core/problem.ts";
import { rest } from "../../../engine/rest.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import { starterOf } from "../authority.ts";
import { goOn, restResult } from "../driving.ts";
import { currentRun, openProject, type Project } from "../project.ts";
import { startRun } from "../start.ts";
import { done, flag, type Invocation, type Result, type Run } from "../verb.ts";

const WORKFLOW_OF: Readonly<Record<string, string>> = {
  do: "change",
  feature: "feature",
  build: "feature",
  fix: "fix",
};

/** Starts the workflow that belongs to the verb and goes on until a person is needed. */
export const begin: Run = (invocation) =>
  start(invocation, WORKFLOW_OF[invocation.verb.name] ?? "change", invocation.words);

/** Any workflow by name. */
export const run: Run = (invocation) => {
  const [name, ...words] = invocation.words;
  if (name === undefined) throw new ProblemError({ code: "WORKFLOW_UNKNOWN", name: "", valid: workflowNames() });
  return flag(invocation.values, "explain") ? Promise.resolve(explain(name)) : start(invocation, name, words);
};

async function start(invocation: Invocation, workflow: string, words: readonly string[]): Promise<Result> {
  const project = openProject(invocation.cwd, invocation.env);
  const open = currentRun(project, undefined);
  starterOf(invocation, project);
  if (open.state.is === "active") return recover(invocation, project);
  await startRun(invocation, project, { workflow, title: words.join(" ") });
  return goOn(invocation, project);
}

/** Never a second run: whoever comes back sees where the open one stands, and at a terminal goes on with it. */
export async function recover(invocation: Invocation, project: Project): Promise<Result> {
  const { state, head } = currentRun(project, undefined);
  if (state.is !== "active") return restResult(state, []);
  const banner = recoveryBanner(state);
  const result = restResult(state, rest({ desk: createDesk(project.root, project.files) }, state, head));
  if (!invocation.io.interactive)
    return { ...result, code: 3, lines: [...(banner === null ? [] : [banner, ""]), ...result.lines] };
  for (const line of banner === null ? result.lines : [banner]) invocation.io.out(line);
  return goOn(invocation, project);
}

export const resume: Run = (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  starterOf(invocation, project);
  const { state } = currentRun(project, undefined);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return goOn(invocation, project);
};

/** The phases of a workflow and their rules, as shipped. */
function explain(name: string): Result {
  const definition = loadWorkflow(name);
  const lines = definition.phases.flatMap((phase) => [
    `${phase.key}  ${phase.name}`,
    `    writes ${phase.writes}; makes ${phase.outputs.join(", ") || "code"}; gate ${phase.gate}; reviewer ${phase.reviewer ?? "none"}; tests ${phase.tests ? "must pass" : "not run"}`,
  ]);
  return done([`${definition.label}: ${definition.description}`, "", ...lines], { workflow: definition });
}
