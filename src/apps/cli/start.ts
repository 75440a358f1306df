import { randomBytes } from "node:crypto";
import { createCheckRunner } from "../../adapters/checks/create-check-runner.ts";
import { loadWorkflow, personaDigests } from "../../adapters/definitions/definitions.ts";
import { createDesk } from "../../adapters/desk/create-desk.ts";
import { createGitRead } from "../../adapters/git/git-read.ts";
import { createTreeMemory } from "../../adapters/user-files/tree-memory.ts";
import { readUserSettings } from "../../adapters/user-files/user-settings.ts";
import type { StartCommand } from "../../core/command.ts";
import { decide } from "../../core/decide.ts";
import { resolvePlan } from "../../core/plan.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Starter } from "../../schema/people.ts";
import type { Commits, Mode, PhaseRule, RunOptions, WorkflowDefinition } from "../../schema/plan.ts";
import { chooseAgents, type ChosenAgents, createBackend, requireInstalled } from "./agents.ts";
import { starterOf } from "./authority.ts";
import { nameWork } from "./naming.ts";
import { type Project, systemClock } from "./project.ts";
import { settleRepository } from "./settle-repository.ts";
import { settleSupervision } from "./settle-supervision.ts";
import { settleTests } from "./settle-tests.ts";
import { setUp } from "./set-up.ts";
import { flag, type Invocation, text } from "./verb.ts";

export type NewRun = {
  readonly workflow: string;
  readonly title: string;
  /** Settled by whoever wants the run; otherwise found out here. */
  readonly settled?: { readonly agents: ChosenAgents; readonly by: Starter };
};

type Facts = StartCommand["facts"];

/** Settles everything a run depends on, asking where it must, and opens it. */
export async function startRun(invocation: Invocation, project: Project, wanted: NewRun): Promise<void> {
  const definition = loadWorkflow(wanted.workflow);
  refuseForeignFlags(invocation, definition);
  const title = titleOf(wanted.title, invocation.verb.usage);
  const by = wanted.settled?.by ?? starterOf(invocation, project);
  const { settings, warnings } = readUserSettings(project.folders.config, project.files);
  const agents = wanted.settled?.agents ?? chooseAgents(invocation.values, settings);
  await requireInstalled(createBackend(agents.phase, project.env));
  const repository = await settleRepository(invocation, createGitRead(project.root));
  const checks = createCheckRunner(project.root, { env: project.env, redact: (shown) => shown });
  const tests = await settleTests(invocation, await checks.detectTests(), memoryOf(project));
  const plan = planOf(invocation, definition);
  const supervision = settleSupervision(invocation, createDesk(project.root, project.files), plan);
  setUp(project);
  const run = newRunId(systemClock.now());
  const name = await nameWork({ project, definition, title, run, git: repository !== null });
  const facts: Facts = {
    run,
    workflow: definition.name,
    title,
    item: name.item,
    plan,
    options: optionsOf(invocation, { definition, supervised: supervision.supervision.enabled }),
    supervision: supervision.supervision,
    minimalSummary: supervision.minimal,
    ...choices(agents, project.env),
    git: repository === null ? null : { branch: name.branch, base: repository.base, commit: repository.commit },
    tests,
    warnings: [...warnings, ...supervision.warnings],
    by,
  };
  await open(project, facts, agents);
  for (const line of [...facts.warnings.map((warning) => `warning: ${warning}`), ...supervision.lines])
    invocation.io.err(line);
}

async function open(project: Project, facts: Facts, agents: ChosenAgents): Promise<void> {
  memoryOf(project).rememberAgents(facts.run, agents);
  const opened = await project.journal.create(facts.run, (state) => decide(state, { do: "start", facts }));
  if (!opened.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: opened.refusal });
}

const memoryOf = (project: Project) => createTreeMemory(project.folders.state, project.root, project.files);

function choices(agents: ChosenAgents, env: NodeJS.ProcessEnv): Pick<Facts, "agent" | "reviewer"> {
  const { name, digest } = createBackend(agents.phase, env);
  const reviewer = createBackend(agents.reviewer, env);
  return { agent: { name, digest }, reviewer: { name: reviewer.name, digest: reviewer.digest } };
}

function planOf({ values }: Invocation, definition: WorkflowDefinition): PhaseRule[] {
  const mode = (text(values, "mode") ?? "standard") as Mode; // the catalog allows no other value
  const plan = resolvePlan(definition, { mode, personaDigests: personaDigests(definition) });
  return flag(values, "light") ? plan.filter((rule) => rule.whenLight === "keep") : plan;
}

type Policy = { readonly definition: WorkflowDefinition; readonly supervised: boolean };

function optionsOf({ values }: Invocation, { definition, supervised }: Policy): RunOptions {
  const asks = supervised || definition.asksToFinish;
  return {
    mode: (text(values, "mode") ?? "standard") as Mode, // the catalog allows no other value
    light: flag(values, "light"),
    commits: (text(values, "commits") ?? "phase") as Commits, // the catalog allows no other value
    finish: flag(values, "merge") ? "merge" : asks ? "ask" : "keep",
  };
}

/** A flag that a workflow does not have is a mistake, not a wish to ignore. */
function refuseForeignFlags({ values, verb }: Invocation, definition: WorkflowDefinition): void {
  const foreign = (["light", "supervised"] as const).find(
    (name) => flag(values, name) && definition.options[name] === undefined,
  );
  if (foreign === undefined) return;
  const having = { light: "feature", supervised: "change, feature, fix" }[foreign];
  const detail = `The workflow "${definition.name}" has no --${foreign}; these have: ${having}.`;
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
