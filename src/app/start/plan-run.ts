import type { StartCommand } from "../../core/command.ts";
import { resolvePlan } from "../../core/plan.ts";
import { ProblemError } from "../../core/problem.ts";
import { sensibleThresholds } from "../../core/sizing.ts";
import type { ResolvedWorkflow } from "../../ports/workflows.ts";
import type { Mode, PhaseRule, RunOptions, WorkflowDefinition } from "../../schema/plan.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import { type Choice, ChoicesNeeded } from "../choice.ts";
import type { Project } from "../project/project.ts";
import { createChoices } from "./choices.ts";
import { planLimits } from "./limits.ts";
import { adoptedStart, refuseUnadopted, withoutReviews } from "./plan-adoption.ts";
import type { PlanningContext } from "./planning.ts";
import { planRepository, planHooks } from "./plan-repository.ts";
import { knownPhases, planSupervision, type SupervisionPlan } from "./plan-supervision.ts";
import { planTarget, type PlannedWork } from "./plan-target.ts";
import { isWithoutTests, NO_TESTS, planTests } from "./plan-tests.ts";
import { type FeatureBranch, type FeatureWork, type RunRequest, runTitle } from "./run-request.ts";
import type { Agents } from "../../ports/agents.ts";
import type { GitProgram } from "../../ports/vcs.ts";
import type { UserSettings } from "../../schema/user-settings.ts";
import { agentKey, allAgents, shippedPhases } from "../agents/agent-choice.ts";
import { unmetWishes } from "../agents/capability-rows.ts";
import { chooseAgents, chooseForAdoption } from "../agents/choose-agents.ts";

type Facts = StartCommand["facts"];

/** Run ready to be opened. All its inputs are decided, and nothing is written yet. */
export type RunPlan = {
  readonly project: Project;
  readonly definition: WorkflowDefinition;
  readonly work: PlannedWork;
  /** Facts without the names, which are chosen when the run is opened. */
  readonly facts: Omit<Facts, "run" | "item" | "git">;
  readonly git: Omit<NonNullable<Facts["git"]>, "branch"> | null;
  /** The feature's existing branch, if any. */
  readonly branch: FeatureBranch | null;
  /** Folder already reserved for the documents; null if it is still to be named. */
  readonly folder: string | null;
  readonly agents: RunAgents;
  readonly supervision: SupervisionPlan;
  /** Digest of a test command to trust; null if none. */
  readonly trusts: string | null;
  /** Repository commands to trust, such as hooks. */
  readonly hooks: readonly GitProgram[];
};

/** `notes` are for the user. While choices are open, only notes that do not depend on them. */
export type PlanResult = { readonly notes: readonly string[] } & (
  | { readonly ok: true; readonly plan: RunPlan }
  | { readonly ok: false; readonly choices: readonly Choice[] }
);

/**
 * Determines all inputs of a run, and all choices left to the user. Writes nothing.
 * @throws ProblemError if the request is impossible.
 */
export async function planRun(project: Project, request: RunRequest): Promise<PlanResult> {
  const notes: string[] = [];
  let certain: number | null = null; // number of notes that depend on no open choice
  const choices = createChoices(request.decisions, request.choices, () => (certain = notes.length));
  const leftOpen = (open: readonly Choice[]): PlanResult => ({
    ok: false,
    choices: open,
    notes: notes.slice(0, certain ?? notes.length),
  });
  try {
    const plan = await plannedRun({ project, request, choices, notes });
    const open = choices.open();
    return open.length > 0 ? leftOpen(open) : { ok: true, plan, notes };
  } catch (error) {
    if (!(error instanceof ChoicesNeeded)) throw error; // a choice needed to continue planning
    return leftOpen([...choices.open(), ...error.choices]);
  }
}

async function plannedRun(planning: PlanningContext): Promise<RunPlan> {
  const { project, request, choices } = planning;
  const { wishes, feature } = request;
  const workflow = project.workflows.resolve(request.workflow);
  const { definition } = workflow;
  refuseForeignWishes(project, request, definition);
  refuseUnadopted(request, definition);
  if (wishes.review !== undefined) knownPhases(wishes.review, definition.phases);
  const title = runTitle(request);
  const work = await planTarget(planning, definition, title);
  const resolved = resolvePhases(planning, workflow, work);
  const { settings, warnings } = project.settings.read();
  const limits = planLimits(wishes, settings);
  const chosen = await planAgents(planning, { settings, phases: resolved, limits });
  const { phases } = chosen;
  const { sandbox, network, note } = project.agents.planSandbox(chosen.agents, wishes.sandbox);
  if (note !== null) planning.notes.push(note);
  const isAnalysis = project.item !== null;
  const git = await repositoryFor(planning);
  const { tests, trusts } = isAnalysis ? NO_TESTS : await planTests(planning);
  const hooks = isAnalysis || git === null ? [] : await planHooks(choices, project.gitTrust);
  const supervision = await planSupervision(planning, { definition, phases });
  const isSupervised = supervision.supervision.enabled;
  const options = planOptions(request, { definition, isSupervised, phases });
  const facts: RunPlan["facts"] = {
    scope: isAnalysis ? "item" : "tree",
    analysed: [...(work.target?.analysed ?? [])],
    workflow: definition.name,
    workflowPhases: definition.phases.map(({ key }) => key),
    title: work.title,
    plan: phases,
    options: { ...options, ...limits, ...(isAnalysis ? LEAVES_THE_REPOSITORY_ALONE : {}) },
    supervision: supervision.supervision,
    minimalSummary: supervision.minimal,
    settings: supervision.settings,
    ...project.agents.record(chosen.agents, chosen.versions),
    sandbox,
    ...(network === null ? {} : { network }),
    programs: project.agents.programs({ agents: chosen.agents, sandbox, tests }),
    tests,
    ...demandedPasskeys(project),
    warnings: [...warnings, ...chosen.warnings, ...workflow.warnings, ...supervision.warnings],
    by: request.by,
    ...findIssue(request, work),
  };
  const { agents } = chosen;
  const unnamed: Pick<RunPlan, "branch" | "folder"> = { branch: null, folder: null };
  const plan = { project, definition, work, facts, git, ...unnamed, agents, supervision, trusts, hooks };
  return feature === undefined ? plan : partOfFeature(plan, feature);
}

/** Returns the issue from the request, or from the item's record. */
function findIssue(request: RunRequest, work: PlannedWork): Pick<Facts, "issue"> {
  const issue = request.issue ?? work.issue ?? null;
  return issue === null ? {} : { issue };
}

/** Returns the passkeys that alone may decide in this run, if the user's settings allow no other channel. */
function demandedPasskeys({ settings, passkeys }: Project): Pick<Facts, "passkeys"> {
  const { approvals = [] } = settings.read().settings;
  if (!approvals.every((channel) => channel === "passkey") || approvals.length === 0) return {};
  return { passkeys: passkeys.list().map(({ id, publicKey }) => ({ id, publicKey })) };
}

function partOfFeature(plan: RunPlan, { branch, worktree, warnings, ...named }: FeatureWork): RunPlan {
  const { facts } = plan;
  const folder = named.folder ?? null;
  return { ...plan, branch, folder, facts: { ...facts, worktree, warnings: [...warnings, ...facts.warnings] } };
}

async function repositoryFor(planning: PlanningContext): Promise<RunPlan["git"]> {
  const { project, request } = planning;
  const { adopts, decisions, wishes } = request;
  if (adopts !== undefined) return adoptedStart(adopts);
  const mayBeDirty = project.item !== null || request.isElsewhere === true || decisions.dirty === "allow-dirty";
  return planRepository(planning, { git: wishes.git !== false, mayBeDirty });
}

function resolvePhases(
  { project, request }: PlanningContext,
  { definition, persona }: ResolvedWorkflow,
  { target }: PlannedWork,
): PhaseRule[] {
  const names = new Set(definition.phases.flatMap((phase) => [phase.persona, phase.reviewer ?? phase.persona]));
  const personaDigests = Object.fromEntries([...names].map((name) => [name, project.hash(persona(name))]));
  const whole = resolvePlan(definition, { mode: requestedMode(request), personaDigests });
  const plan = target === null ? whole : whole.filter(({ key }) => target.phases.includes(key));
  return request.feature === undefined ? plan : request.feature.adapt(plan);
}

type AskedRequest = Pick<RunRequest, "decisions" | "feature" | "wishes">;

const requestedMode = ({ feature, wishes }: AskedRequest): Mode => feature?.mode ?? wishes.mode ?? "standard";

const LEAVES_THE_REPOSITORY_ALONE = { commits: "none", finish: "keep" } as const;

type Policy = {
  readonly definition: WorkflowDefinition;
  readonly isSupervised: boolean;
  readonly phases: readonly PhaseRule[];
};

/** Returns the requested options of a run, without limits. */
export function planOptions(request: AskedRequest, { definition, isSupervised, phases }: Policy): RunOptions {
  const { wishes } = request;
  const isLast = phases.at(-1)?.key === definition.phases.at(-1)?.key;
  const asks = (isSupervised || definition.asksToFinish) && isLast;
  return {
    mode: requestedMode(request),
    light: wishes.light === true,
    // Without its own branch, a run leaves its changes for review, and commits only on request.
    commits: wishes.commits ?? (definition.branch === null ? "none" : "phase"),
    finish: wishes.merges === true ? "merge" : asks ? "ask" : "keep",
    sizing: wishes.acceptsSize === true ? "accept" : "ask",
    thresholds: sensibleThresholds(definition.thresholds),
    ...(definition.ends === undefined ? {} : { ends: definition.ends }),
    ...agreedBeforehand(wishes),
    ...(isWithoutTests(request) ? { tests: "none" } : {}),
  };
}

const agreedBeforehand = (wishes: RunRequest["wishes"]): Pick<RunOptions, "supervised" | "redTests"> => ({
  ...(wishes.isSupervised === false ? { supervised: false } : {}),
  ...(wishes.acceptsRedTests === true ? { redTests: "continue" } : {}),
});

/** Rejects options that the workflow does not have, instead of ignoring them. */
function refuseForeignWishes(
  { workflows }: Project,
  { wishes, usage }: RunRequest,
  { name, options }: WorkflowDefinition,
): void {
  const wished = { light: wishes.light === true, supervised: wishes.isSupervised === true };
  const foreign = (["light", "supervised"] as const).find((one) => wished[one] && options[one] === undefined);
  if (foreign === undefined) return;
  const having = workflows.names().filter((other) => workflows.load(other).options[foreign] !== undefined);
  const detail = `The workflow "${name}" has no --${foreign}; these do: ${having.join(", ")}.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}

type AgentWishes = {
  readonly settings: UserSettings;
  readonly phases: readonly PhaseRule[];
  readonly limits: Pick<RunOptions, "budget" | "limits" | "session">;
};

type AgentsPlan = {
  readonly agents: RunAgents;
  /** Reported versions by `agentKey`. */
  readonly versions: ReadonlyMap<string, string>;
  /** The phases, without reviews that no agent does. */
  readonly phases: PhaseRule[];
  readonly warnings: readonly string[];
};

/**
 * Chooses the run's agents, checks that all are installed, and lists requested options they do not support.
 * @throws ProblemError before anything is written.
 */
async function planAgents({ project, request, notes }: PlanningContext, wanted: AgentWishes): Promise<AgentsPlan> {
  const { agents: port, workflows } = project;
  const { adopts, wishes } = request;
  const { agents: given, agent = null, reviewer = null } = wishes;
  const among = {
    agents: adopts === undefined ? port : await onlyUsable(port),
    phases: wanted.phases.map(({ key }) => key),
    known: shippedPhases(workflows),
  };
  const choose = adopts === undefined ? chooseAgents : chooseForAdoption;
  const { agents, detected, warnings } =
    given === undefined
      ? choose({ agent, reviewer }, wanted.settings, among)
      : { agents: given, detected: null, warnings: [] };
  const able = await Promise.all(
    allAgents(agents).map(async (one) => {
      const found = await port.probe(one);
      if ("code" in found) throw new ProblemError(found);
      return { name: one.name, key: agentKey(one), able: found, needsSandbox: port.needsSandbox(one.name) };
    }),
  );
  if (detected !== null) notes.push(foundLine(detected));
  const versions = new Map(able.map(({ key, able: { version } }) => [key, version]));
  const { phases, warnings: uncovered } = withoutReviews(wanted.phases, adopts, agents);
  return { agents, versions, phases, warnings: [...warnings, ...unmetWishes(wanted.limits, able), ...uncovered] };
}

/** Adopted work needs no agent: one that is installed and does not start counts as missing. */
async function onlyUsable(agents: Agents): Promise<Pick<Agents, "detect" | "noAgent">> {
  const name = agents.detect();
  const found = name === null ? null : await agents.probe({ name, argv: null });
  const usable = found === null || "code" in found ? null : name;
  return { detect: () => usable, noAgent: () => agents.noAgent() };
}

const foundLine = (name: string): string =>
  `Agent: ${name} (found on PATH; "isdlc config set agent <name>" to choose, "isdlc agents" to see all)`;
