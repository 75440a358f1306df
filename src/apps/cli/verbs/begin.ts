import { workflowNames } from "../../../adapters/definitions/definitions.ts";
import { ProblemError } from "../../../core/problem.ts";
import { rest } from "../../../engine/rest.ts";
import type { Mode } from "../../../schema/plan.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import { starterOf } from "../authority.ts";
import { goOn, restResult } from "../driving.ts";
import { explain } from "../explain.ts";
import { currentRun, openProject, type Project } from "../project.ts";
import { settleWorkflow } from "../settle-workflow.ts";
import { projectOf } from "../project-of.ts";
import { startRun } from "../start.ts";
import { flag, type Invocation, type Result, type Run, text } from "../verb.ts";
import { deskOf } from "../desk-of.ts";
import { type BuildPlace, detectBuild } from "../detect-build.ts";
import { findItem, titleOfItem } from "../item-documents.ts";
import { buildSummary } from "../../../views/build-summary.ts";

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
  if (!flag(invocation.values, "explain")) return start(invocation, name, words);
  const mode = (text(invocation.values, "mode") ?? "standard") as Mode; // the catalog allows no other value
  return Promise.resolve(explain(settleWorkflow(openProject(invocation.cwd, invocation.env), name), mode));
};

async function start(invocation: Invocation, workflow: string, words: readonly string[]): Promise<Result> {
  const project = openProject(invocation.cwd, invocation.env);
  const open = currentRun(project, undefined);
  starterOf(invocation, project);
  if (open.state.is === "active") return recover(invocation, project);
  const place = await placeOf(invocation, project, { workflow, words: words.join(" ").trim() });
  const title = place === null ? words.join(" ") : titleOfItem(project, place.folder);
  await startRun(invocation, project, { workflow, title, ...(place === null ? {} : { place }) });
  return goOn(invocation, project);
}

/** Where an item that is on record already is built from; null for new work, and for workflows without items. */
async function placeOf(
  invocation: Invocation,
  project: Project,
  { workflow, words }: { workflow: string; words: string },
): Promise<BuildPlace | null> {
  const { definition } = settleWorkflow(project, workflow);
  if (definition.items === null || words === "") return null;
  const item = findItem(project, words);
  const isBuilt = typeof item?.meta?.["build_completed_at"] === "string";
  if (item === null || (isBuilt && item.slug !== words)) {
    invocation.io.err(
      buildSummary({
        item: words,
        status: "raw",
        completedPhases: [],
        remainingPhases: definition.phases.map(({ key }) => key),
      }),
    );
    return null;
  }
  return detectBuild(invocation, { project, definition, item, by: starterOf(invocation, project).name });
}

/** Never a second run: whoever comes back sees where the open one stands, and at a terminal goes on with it. */
export async function recover(invocation: Invocation, project: Project): Promise<Result> {
  const { state, head } = currentRun(project, undefined);
  if (state.is !== "active") return restResult(state, []);
  const banner = recoveryBanner(state);
  const result = restResult(state, rest({ desk: deskOf(project) }, state, head));
  if (!invocation.io.interactive)
    return { ...result, code: 3, lines: [...(banner === null ? [] : [banner, ""]), ...result.lines] };
  for (const line of banner === null ? result.lines : [banner]) invocation.io.out(line);
  return goOn(invocation, project);
}

export const resume: Run = (invocation) => {
  const project = projectOf(invocation);
  starterOf(invocation, project);
  const { state } = currentRun(project, undefined);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return goOn(invocation, project);
};
