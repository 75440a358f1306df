import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { type OpenedRun, openRun } from "../../../app/start/open-run.ts";
import { planRun, type RunPlan } from "../../../app/start/plan-run.ts";
import type { RunRequest } from "../../../app/start/run-request.ts";
import type { Project } from "../../../app/project/project.ts";
import { dryRun, DryRunShown } from "../../../app/start/dry-run.ts";
import { flag, type Invocation } from "../invocation/verb.ts";
import { wrapLines } from "../../../views/wrap-lines.ts";
import { askChoice } from "./ask-choice.ts";
import { askTests } from "./ask-tests.ts";
import type { Io } from "../invocation/io.ts";
import { stalenessMenu } from "../../../views/build-summary.ts";
import { askAbout } from "./ask.ts";
import { showChanges } from "./show-changes.ts";

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

const ANSWERS = { p: "proceed", q: "rescan", a: "reanalyze", v: null } as const;
const VIEW = "[V] View -- show what changed in these files";

/** Asks how to continue with an outdated analysis: the code changed after it. Null if the user leaves it. */
async function askStale(invocation: Invocation, { history }: Project, choice: Choice): Promise<string | null> {
  const { changes } = choice;
  const canView = changes !== undefined && changes.paths.length > 0;
  for (let hasPaged = false; ;) {
    const key = await askMenu(invocation, { about: hasPaged ? [] : [...choice.about, ""], canView });
    if (key === null) return null;
    if (key === "v" && changes !== undefined) {
      await showChanges(invocation, (await history.patch(changes.since, changes.paths)) ?? "Nothing to compare.");
      hasPaged = true;
    } else if (key === "q" && hasPaged) {
      invocation.io.out("Press Q again to re-run the quick-scan."); // the key may have been meant for the pager
      hasPaged = false;
    } else return ANSWERS[key];
  }
}

type Key = keyof typeof ANSWERS;
type Menu = { readonly about: readonly string[]; readonly canView: boolean };

function askMenu({ io }: Invocation, { about, canView }: Menu): Promise<Key | null> {
  const menu = [...about, ...stalenessMenu.split("\n"), ...(canView ? [VIEW] : [])];
  return askAbout<Key>(io, menu, { keys: canView ? ["p", "q", "a", "v"] : ["p", "q", "a"] });
}
