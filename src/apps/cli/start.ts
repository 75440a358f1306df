import { randomBytes } from "node:crypto";
import { createCheckRunner } from "../../adapters/checks/create-check-runner.ts";
import { loadWorkflow, personaDigests, workflowNames } from "../../adapters/definitions/definitions.ts";
import { createGitRead } from "../../adapters/git/read/git-read.ts";
import { createTrustStore } from "../../adapters/user-files/trust-store.ts";
import { readUserSettings } from "../../adapters/user-files/user-settings.ts";
import type { StartCommand } from "../../core/command.ts";
import { resolvePlan } from "../../core/plan.ts";
import { ProblemError } from "../../core/problem.ts";
import { sensibleThresholds } from "../../core/sizing.ts";
import type { TestCommand } from "../../schema/facts.ts";
import type { Initiator } from "../../schema/people.ts";
import type { Commits, Mode, PhaseRule, RunOptions, WorkflowDefinition } from "../../schema/plan.ts";
import { type ChosenAgents, recordedAgents } from "../../compose/create-backend.ts";
import { initiatorOf } from "./main/caller.ts";
import type { BuildTarget } from "./detect-build.ts";
import { resolveLimits } from "./limits.ts";
import { nameWork } from "./naming.ts";
import type { LocalProject } from "../../compose/project.ts";
import { systemClock } from "../../compose/place.ts";
import { resolveAgents } from "./resolve-agents.ts";
import { resolveRepository } from "./resolve-repository.ts";
import { resolveSupervision } from "./resolve-supervision.ts";
import { resolveTests } from "./resolve-tests.ts";
import { resolveWorkflow, type ResolvedWorkflow } from "../../compose/resolve-workflow.ts";
import { resolveSandbox } from "../../compose/sandbox.ts";
import { setUp } from "./set-up.ts";
import { flag, type Invocation, text } from "./grammar/verb.ts";

export type NewRun = {
  readonly workflow: string;
  readonly title: string;
  /** Resolved by whoever wants the run; otherwise found out here. */
  readonly resolved?: { readonly agents: ChosenAgents; readonly by: Initiator };
  /** An item that is there already: the run works in its folder, and may begin where its analysis ended. */
  readonly place?: BuildTarget;
  readonly feature?: FeatureWork;
  /** True while a place for the run is still to be made: what is not committed here does not concern it. */
  readonly isElsewhere?: boolean;
};

/** A part of the work on a feature, which may have been begun by an earlier run. */
export type FeatureWork = {
  readonly mode: Mode;
  /** The feature's own branch where there is one already. */
  readonly branch: FeatureBranch | null;
  readonly worktree: string | null;
  /** To be shown, and recorded. */
  readonly warnings: readonly string[];
  /** What is different in this run about the phases it has. */
  readonly adapt: (plan: PhaseRule[]) => PhaseRule[];
};

export type FeatureBranch = {
  readonly branch: string;
  readonly base: string | null;
  readonly commit: string;
  readonly baseTip?: string;
};

type Facts = StartCommand["facts"];

/** Settles everything a run depends on, asking where it must, and opens it. Tells the folder the run works in. */
export async function startRun(invocation: Invocation, project: LocalProject, wanted: NewRun): Promise<string> {
  const resolved = await resolveRun(invocation, project, wanted);
  const facts = await factsOf(invocation, project, { wanted, resolved });
  await open(project, facts, resolved.agents);
  const warnings = facts.warnings.map((warning) => `warning: ${warning}`);
  for (const line of [...resolved.lines, ...warnings, ...resolved.supervision.lines]) invocation.io.err(line);
  return facts.item;
}

/**
 * Asks and refuses everything that a run elsewhere would be asked and refused, before a place for it is made. Whatever
 * is not committed here stays here.
 */
export async function resolveBeforehand(invocation: Invocation, project: LocalProject, wanted: NewRun): Promise<void> {
  await resolveRun(invocation, project, { ...wanted, isElsewhere: true });
}

/** Everything that may be refused or must be asked; nothing of the run is written before it is through. */
async function resolveRun(invocation: Invocation, project: LocalProject, wanted: NewRun) {
  const workflow = resolveWorkflow(project, wanted.workflow);
  refuseForeignFlags(invocation, workflow.definition);
  const title = titleOf(wanted.title, invocation.verb.usage);
  const by = wanted.resolved?.by ?? (await initiatorOf(invocation, project));
  const { settings, warnings } = readUserSettings(project.folders.config, project.files);
  const plan = planOf(invocation, workflow, wanted);
  const limits = resolveLimits(invocation.values, settings);
  const phases = plan.map(({ key }) => key);
  const chosen = wanted.resolved?.agents;
  const { agents, lines, ...told } = await resolveAgents(invocation, { settings, phases, limits, chosen });
  const { sandbox, note } = resolveSandbox(project, agents, text(invocation.values, "sandbox"));
  if (note !== null) invocation.io.err(note);
  const analysis = project.item !== null;
  const repository = await resolveRepository(invocation, createGitRead(project.root), {
    mayBeDirty: analysis || wanted.isElsewhere === true,
  });
  const tests = analysis ? null : await testsOf(invocation, project);
  const supervision = resolveSupervision(invocation, project.projections, plan);
  setUp(project);
  const own = wanted.feature?.warnings ?? [];
  const all = [...own, ...warnings, ...told.warnings, ...workflow.warnings, ...supervision.warnings];
  const { versions } = told;
  const agreed = {
    workflow,
    title,
    by,
    agents,
    versions,
    lines,
    limits,
    sandbox,
    repository,
    tests,
    plan,
    supervision,
  };
  return { ...agreed, warnings: all };
}

type Resolved = Awaited<ReturnType<typeof resolveRun>>;

async function factsOf(
  invocation: Invocation,
  project: LocalProject,
  { wanted, resolved }: { wanted: NewRun; resolved: Resolved },
): Promise<Facts> {
  const { title, repository, plan, supervision, tests, warnings, by } = resolved;
  const { definition } = resolved.workflow;
  const run = newRunId(systemClock.now());
  const folder = wanted.place?.folder ?? null;
  const name = await nameWork({ project, definition, title, run, git: repository !== null, folder });
  const analysis = project.item !== null;
  const { enabled: supervised } = supervision.supervision;
  const options = optionsOf(invocation, { definition, supervised, mode: modeOf(invocation, wanted), plan });
  const branch = wanted.feature?.branch ?? { branch: analysis ? null : name.branch };
  return {
    run,
    scope: analysis ? "item" : "tree",
    analysed: [...(wanted.place?.analysed ?? [])],
    workflow: definition.name,
    title,
    item: name.item,
    plan,
    options: { ...options, ...resolved.limits, ...(analysis ? LEAVES_THE_REPOSITORY_ALONE : {}) },
    supervision: supervision.supervision,
    minimalSummary: supervision.minimal,
    settings: supervision.settings,
    ...recordedAgents(resolved.agents, project.env, resolved.versions),
    sandbox: resolved.sandbox,
    git: repository === null ? null : { ...repository, ...branch },
    ...(wanted.feature === undefined ? {} : { worktree: wanted.feature.worktree }),
    tests,
    warnings,
    by,
  };
}

async function testsOf(invocation: Invocation, project: LocalProject): Promise<TestCommand | null> {
  const checks = createCheckRunner(project.root, { env: project.env, redact: (shown) => shown });
  return resolveTests(invocation, await checks.detectTests(), memoryOf(project));
}

async function open(project: LocalProject, facts: Facts, agents: ChosenAgents): Promise<void> {
  memoryOf(project).rememberAgents(facts.run, agents);
  const opened = await project.journal.create(facts.run, { do: "start", facts });
  if (!opened.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: opened.refusal });
}

const memoryOf = (project: LocalProject) => createTrustStore(project.folders.state, project.root, project.files);

function planOf(invocation: Invocation, { definition, persona }: ResolvedWorkflow, wanted: NewRun): PhaseRule[] {
  const { place, feature } = wanted;
  const mode = modeOf(invocation, wanted);
  const whole = resolvePlan(definition, { mode, personaDigests: personaDigests(definition, persona) });
  const plan = place === undefined ? whole : whole.filter(({ key }) => place.phases.includes(key));
  return feature === undefined ? plan : feature.adapt(plan);
}

const modeOf = ({ values }: Invocation, { feature }: NewRun): Mode =>
  feature?.mode ?? ((text(values, "mode") ?? "standard") as Mode); // the catalog allows no other value

const LEAVES_THE_REPOSITORY_ALONE = { commits: "none", finish: "keep" } as const;

type Policy = {
  readonly definition: WorkflowDefinition;
  readonly supervised: boolean;
  readonly mode: Mode;
  readonly plan: readonly PhaseRule[];
};

function optionsOf({ values }: Invocation, { definition, supervised, mode, plan }: Policy): RunOptions {
  const isLast = plan.at(-1)?.key === definition.phases.at(-1)?.key;
  const asks = (supervised || definition.asksToFinish) && isLast;
  return {
    mode,
    light: flag(values, "light"),
    // Without a branch of its own a run leaves its changes to be looked at, and commits only if told so.
    commits: (text(values, "commits") ?? (definition.branch === null ? "none" : "phase")) as Commits, // see above
    finish: flag(values, "merge") ? "merge" : asks ? "ask" : "keep",
    sizing: flag(values, "yes") ? "accept" : "ask",
    thresholds: sensibleThresholds(definition.thresholds),
    ...(definition.ends === undefined ? {} : { ends: definition.ends }),
  };
}

/** A flag that a workflow does not have is a mistake, not a wish to ignore. */
function refuseForeignFlags({ values, verb }: Invocation, definition: WorkflowDefinition): void {
  const foreign = (["light", "supervised"] as const).find(
    (name) => flag(values, name) && definition.options[name] === undefined,
  );
  if (foreign === undefined) return;
  const having = workflowNames().filter((name) => loadWorkflow(name).options[foreign] !== undefined);
  const detail = `The workflow "${definition.name}" has no --${foreign}; these have: ${having.join(", ")}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: verb.usage });
}

function titleOf(title: string, usage: string): string {
  const trimmed = title.replaceAll(/\s+/g, " ").trim();
  if (trimmed !== "" && trimmed.length <= 500) return trimmed;
  const detail = trimmed === "" ? "Say what is to be done." : "The title is longer than 500 characters.";
  throw new ProblemError({ code: "USAGE", detail, usage });
}

/** `20261115-101500123-k3f9` */
function newRunId(now: string): string {
  const [day = "", time = ""] = now.split("T");
  const digits = (part: string): string => part.replaceAll(/[^0-9]/g, "");
  const tail = [...randomBytes(4)].map((byte) => (byte % 36).toString(36)).join("");
  return `${digits(day)}-${digits(time).slice(0, 9)}-${tail}`;
}
