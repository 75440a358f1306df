import { ProblemError } from "../../../src/core/problem.ts";
import { computeStartPhase } from "../../../src/core/items/start-phase.ts";
import { readingFor, tighten } from "../../../src/core/supervision.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { ITEMS_ROOT } from "../../../src/ports/items.ts";
import type { EventDraft } from "../../../src/schema/event.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { GateRule, WorkflowDefinition } from "../../../src/schema/plan.ts";
import type * as z from "zod/mini";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { itemsAt } from "../page/items-at.ts";
import { type AcceptPolicy, ASKS, hasPolicy, readAcceptPolicy, superviseNamed } from "../people/accept-policy.ts";
import { readSettingsAt, readWorkflowAt } from "../reports/repository-facts.ts";
import type { TeamServer } from "../server/team-server.ts";
import { runNotMovable } from "./run-not-movable.ts";

export type Intake = { readonly repository: string; readonly person: string; readonly left: LeftTree };

type BroughtIn = Extract<EventDraft, { type: "run.broughtIn" }>;
/** Event fields without the range of events. The range is known after the comparison with the team's journal. */
export type TeamRules = Omit<BroughtIn, "type" | "by" | "from" | "to">;

/**
 * Applies the team's policy to a run brought by a user. @throws ProblemError RUN_NOT_MOVABLE if a worker must not
 * continue it
 */
export async function applyPolicy(
  { pool, copies }: Pick<TeamServer, "pool" | "copies">,
  state: ActiveRun,
  { repository, left }: Intake,
): Promise<TeamRules> {
  const { rows } = await pool.query<{ remote: string }>("select remote from isdlc.repository where name = $1", [
    repository,
  ]);
  const [row] = rows;
  if (row === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const copy = await copies.open(row.remote);
  const main = await copy.readMainBranch();
  requireOwnBranch(state, left, main);
  const ref = `refs/heads/${main}`;
  const tip = (await copy.fetch([ref])).get(ref);
  if (tip === undefined) throw runNotMovable("the remote has no main branch", "Push the main branch first.");
  const { definition } = await readWorkflowAt(copy, tip, state.run.workflow);
  const policy = await readAcceptPolicy(pool, repository);
  requirePrefix(state, definition);
  if (hasPolicy(policy)) await requireTeamPlan(copy, { state, definition, tip });
  const keys = definition.phases.map(({ key }) => key);
  const settings = readingFor(await readSettingsAt(copy, tip), keys);
  const supervision = superviseNamed(tighten(state.supervision, settings), policy, keys);
  return { options: ASKS, supervision, gates: fixedGates(state, definition, policy) };
}

/**
 * Phases whose gate must always open: those with such a gate in the repository's workflow and, under a policy, those
 * whose gate depends on the reported size.
 */
function fixedGates({ phases }: ActiveRun, definition: WorkflowDefinition, policy: AcceptPolicy): string[] {
  return phases.flatMap(({ rule: { key, gate } }) => {
    const own = definition.phases.find((phase) => phase.key === key)?.gate ?? gate;
    const isSized = [own, gate].includes("large") && hasPolicy(policy);
    return gate !== "always" && (own === "always" || isSized) ? [key] : [];
  });
}

/**
 * Requires a branch that belongs to the run alone, and the main branch as base: workers push to the branch, and the
 * server merges into the base. Rejects runs whose end is already chosen.
 */
function requireOwnBranch({ run, stage }: ActiveRun, left: LeftTree, main: string | null): void {
  if (stage.is === "finishing" && stage.how !== null)
    throw runNotMovable(`its end was chosen here (${stage.how})`, "Finish it here: isdlc resume");
  if (run.git !== null && run.git.branch !== null) requireBranch(run.git.branch, run.git.base, { left, main });
}

type IntakeSurroundings = { readonly left: LeftTree; readonly main: string | null };

function requireBranch(branch: string, base: string | null, { left, main }: IntakeSurroundings): void {
  const see = "Finish it here, or start it at the team: isdlc request";
  if (branch === main || branch === base) throw runNotMovable("it has no branch of its own", see);
  if (base !== main)
    throw runNotMovable(`it would be merged into ${base ?? "no branch"}, not into ${main ?? "main"}`, see);
  if (left.branch !== null && left.branch !== branch)
    throw runNotMovable(`its tree is on ${left.branch}, not on its branch ${branch}`, "Check out its branch.");
}

function requirePrefix({ run }: ActiveRun, { branch: prefix }: WorkflowDefinition): void {
  const branch = run.git?.branch ?? null;
  if (branch !== null && (prefix === null || !branch.startsWith(prefix)))
    throw runNotMovable(`its branch ${branch} is not one of its workflow`, "Finish it here.");
}

type PlannedPolicy = { readonly state: ActiveRun; readonly definition: WorkflowDefinition; readonly tip: string };

/**
 * Under a policy, requires every phase of the team's workflow with gates and reviewers as strict as there. Phases
 * completed by an analysis at the base may be missing.
 */
async function requireTeamPlan(copy: RepositoryCopy, { state, definition, tip }: PlannedPolicy): Promise<void> {
  const folder = state.run.item.slice(ITEMS_ROOT.length + 1);
  const items = state.run.item.startsWith(`${ITEMS_ROOT}/`) ? (await itemsAt(copy.git, tip)).all() : [];
  const meta = items.find(({ slug }) => slug === folder)?.meta ?? null;
  const keys = definition.phases.map(({ key }) => key);
  const analysis = definition.phases.filter((phase) => phase.analysis).map(({ key }) => key);
  const needed = computeStartPhase(meta, keys, analysis).remainingPhases;
  for (const key of needed) {
    const rule = definition.phases.find((phase) => phase.key === key);
    const brought = state.phases.find((phase) => phase.rule.key === key);
    if (brought === undefined || brought.dropped)
      throw runNotMovable(`its plan has no ${key}`, "Start it at the team.");
    if (rule !== undefined && STRICTNESS[brought.rule.gate] < STRICTNESS[rule.gate])
      throw runNotMovable(`the gate of ${key} is less strict than the team's`, "Start it at the team.");
    if (rule !== undefined && rule.reviewer !== null && brought.rule.verdicts === 0)
      throw runNotMovable(`${key} has no reviewer`, "Start it at the team.");
  }
}

const STRICTNESS: { readonly [G in z.infer<typeof GateRule>]: number } = { supervised: 0, large: 1, always: 2 };
