import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { type OpenedRun, openRun } from "../../../app/start/open-run.ts";
import { planRun, type RunPlan } from "../../../app/start/plan-run.ts";
import type { RunRequest } from "../../../app/start/run-request.ts";
import type { Project } from "../../../app/project/project.ts";
import { dryRun, DryRunShown } from "../../../app/start/dry-run.ts";
import { flag, type Invocation } from "../grammar/verb.ts";
import { wrapLines } from "../../../views/wrap-lines.ts";
import { askChoice } from "./ask-choice.ts";
import { askStale } from "./ask-stale.ts";
import { askTests } from "./ask-tests.ts";
import type { Io } from "./io.ts";

/** Plans a run and opens it. At a terminal, asks for the open choices. */
export async function startRun(invocation: Invocation, project: Project, request: RunRequest): Promise<OpenedRun> {
  return openPlanned(invocation, (await resolvePlan(invocation, project, request)).plan);
}

export async function openPlanned({ io }: Invocation, plan: RunPlan): Promise<OpenedRun> {
  const opened = await openRun(plan);
  for (const line of opened.lines) tell(io, line);
  return opened;
}

/** Wraps lines between words at a terminal. */
const tell = ({ err, interactive, columns }: Io, line: string): void =>
  err(interactive ? wrapLines(line, columns) : line);

export type ResolvedPlan = { readonly plan: RunPlan; readonly request: RunRequest };

/**
 * Returns a plan without open choices, and the request with every decision.
 * @throws ChoicesNeeded with all open choices without a terminal, with the declined one at a terminal.
 */
export async function resolvePlan(
  invocation: Invocation,
  project: Project,
  request: RunRequest,
): Promise<ResolvedPlan> {
  const { io, values } = invocation;
  if (flag(values, "dry-run")) throw new DryRunShown(await dryRun(project, request));
  const told = new Set<string>();
  for (let asked = request; ;) {
    const planned = await planRun(project, asked);
    for (const note of planned.notes.filter((line) => !told.has(line))) tell(io, note);
    for (const note of planned.notes) told.add(note);
    if (planned.ok) return { plan: planned.plan, request: asked };
    const [choice] = planned.choices;
    if (!io.interactive || choice === undefined) throw new ChoicesNeeded(planned.choices);
    const option = await askOne(invocation, project, choice);
    if (option === null) throw new ChoicesNeeded([choice]);
    const decided = option === "retry" ? undefined : option;
    asked = { ...asked, decisions: { ...asked.decisions, [choice.id]: decided } };
  }
}

function askOne(invocation: Invocation, project: Project, choice: Choice): Promise<string | null> {
  if (choice.id === "tests") return askTests(invocation, project, choice);
  if (choice.id === "stale") return askStale(invocation, project, choice);
  return askChoice(invocation.io, choice);
}
