import { personaDigests } from "../../../src/adapters/project-files/definitions.ts";
import type { Decisions } from "../../../src/app/start/choices.ts";
import { planOptions } from "../../../src/app/start/plan-run.ts";
import { isWithoutTests } from "../../../src/app/start/plan-tests.ts";
import { switchedOn } from "../../../src/app/start/plan-supervision.ts";
import type { StartCommand } from "../../../src/core/command.ts";
import { computeStartPhase } from "../../../src/core/items/start-phase.ts";
import { resolvePlan } from "../../../src/core/plan.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { readingFor } from "../../../src/core/supervision.ts";
import type { FoundItem } from "../../../src/ports/items.ts";
import type { StartRequest } from "../../../src/schema/api-project.ts";
import type { SettingsReading } from "../../../src/schema/facts.ts";
import type { PhaseRule, Supervision, WorkflowDefinition } from "../../../src/schema/plan.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import {
  type AcceptPolicy,
  ASKS,
  hasPolicy,
  readAcceptPolicy,
  superviseNamed,
  withFixedGates,
} from "../people/accept-policy.ts";
import type { TeamServer } from "../server/team-server.ts";
import { nameRun, type Starter } from "./name-run.ts";
import { refusedField } from "./refused-field.ts";
import { readSettingsAt, readWorkflowAt } from "./repository-facts.ts";
import { StartFacts } from "./start-facts.ts";

type StartRow = {
  readonly begun_by: string;
  readonly start: StartRequest;
  readonly repository: string;
  readonly remote: string;
};

type StartServices = Pick<TeamServer, "pool" | "copies">;

/**
 * Builds the start of a run. The request, the policy and the repository decide; the worker adds facts about its
 * machine. @throws ProblemError NOT_ALLOWED for facts that do not fit, FencedError
 */
export async function buildStart(
  { pool, copies }: StartServices,
  starter: Starter,
  sent: unknown,
): Promise<StartCommand> {
  const row = await readRequest(pool, starter);
  const { start } = row;
  const facts = readFacts(sent);
  const copy = await copies.open(row.remote);
  const { base, tip } = await readBase(copy, facts.commit);
  const { definition, persona, warnings } = await readWorkflowAt(copy, tip, start.workflow);
  const settings = await readSettingsAt(copy, tip);
  const policy = await readAcceptPolicy(pool, row.repository);
  const named = await nameRun({ pool, starter, copy, definition, title: start.title, facts });
  const { mode = "standard" } = start;
  const whole = resolvePlan(definition, { mode, personaDigests: personaDigests(definition, persona) });
  const analysed = analysedPhases(definition, { start, facts, found: named.found });
  const decided = decideGates({
    start,
    definition,
    settings,
    policy,
    plan: whole.filter(({ key }) => !analysed.includes(key)),
  });
  const { issue, agent, reviewer, agents, reviewers, sandbox, network, tests, budget, limits, session } = facts;
  return {
    do: "start",
    facts: {
      ...decided,
      ...withoutAbsent({ issue: named.found === null ? undefined : issue, agents, reviewers, sandbox, network }),
      run: starter.run,
      scope: "tree",
      workflow: definition.name,
      workflowPhases: definition.phases.map(({ key }) => key),
      title: named.title,
      item: named.item,
      analysed,
      options: { ...decided.options, ...withoutAbsent({ budget, limits, session }) },
      agent,
      reviewer,
      tests: requestedTests(start, tests),
      git: { branch: named.branch, base, commit: facts.commit },
      warnings: [...warnings, ...facts.warnings],
      by: { name: row.begun_by, channel: "token" },
    },
  };
}

/** @throws FencedError if another worker drives the run */
async function readRequest(pool: StartServices["pool"], { run, worker, epoch }: Starter): Promise<StartRow> {
  const { rows } = await pool.query<StartRow>(
    `select r.begun_by, r.start, r.repository, p.remote from isdlc.run r join isdlc.repository p on p.name = r.repository
     where r.run = $1 and r.worker = $2 and r.epoch = $3`,
    [run, worker, epoch],
  );
  const [row] = rows;
  if (row === undefined) throw new FencedError(`${worker} does not drive run ${run} any more.`);
  return row;
}

/** Journals contain no keys with undefined values. */
const withoutAbsent = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>; // some of its keys

function readFacts(sent: unknown): StartFacts {
  const read = StartFacts.safeParse(sent);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw refusedField(
    field ?? "facts",
    issue?.code === "unrecognized_keys" ? "the server decides this" : "its form is wrong",
  );
}

/** Reads the base at the remote. The worker's commit may be an older one of it. @throws ProblemError NOT_ALLOWED */
async function readBase(copy: RepositoryCopy, commit: string): Promise<{ base: string; tip: string }> {
  const base = await copy.readMainBranch();
  const ref = `refs/heads/${base}`;
  const tip = base === null ? undefined : (await copy.fetch([ref])).get(ref);
  if (base === null || tip === undefined)
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "the remote has no main branch" });
  if (tip !== commit && (await copy.git(["merge-base", "--is-ancestor", commit, tip])).status !== 0)
    throw refusedField("commit", `it is not on ${base}`);
  return { base, tip };
}

type StartContext = { readonly start: StartRequest; readonly facts: StartFacts; readonly found: FoundItem | null };

/**
 * Returns the phases omitted by the worker. It may omit only those that the item's analysis has completed, and with
 * `--on-partial skip` also the other analysis phases.
 * @throws ProblemError NOT_ALLOWED
 */
function analysedPhases(definition: WorkflowDefinition, { start, facts, found }: StartContext): string[] {
  const keys = definition.phases.map(({ key }) => key);
  const analysis = definition.phases.filter((phase) => phase.analysis).map(({ key }) => key);
  const done = computeStartPhase(found?.meta ?? null, keys, analysis);
  const skips =
    done.status === "partial" && start.choices.some(({ flag, option }) => flag === "--on-partial" && option === "skip");
  const needed = done.remainingPhases.filter((key) => !skips || !analysis.includes(key));
  const missing = needed.find((key) => !facts.phases.includes(key));
  if (missing !== undefined) throw refusedField("phases", `${missing} is missing`);
  const foreign = facts.phases.find((key) => !keys.includes(key));
  if (foreign !== undefined) throw refusedField("phases", `the workflow has no ${foreign}`);
  return keys.filter((key) => !facts.phases.includes(key));
}

type Gates = {
  readonly start: StartRequest;
  readonly definition: WorkflowDefinition;
  readonly settings: SettingsReading;
  readonly policy: AcceptPolicy;
  readonly plan: readonly PhaseRule[];
};

/** Decides everything that determines which gates open. */
export function decideGates({ start, definition, settings, policy, plan }: Gates) {
  const keys = definition.phases.map(({ key }) => key);
  const supervised = supervise({ settings, found: readingFor(settings, keys) }, plan, start.isSupervised);
  const supervision = superviseNamed(supervised.supervision, policy, keys);
  const agrees = start.choices.some(({ flag }) => flag === "--yes");
  const wishes = { mode: start.mode, acceptsSize: agrees, acceptsRedTests: agrees };
  const options = planOptions(
    { wishes, decisions: readDecisions(start) },
    { definition, isSupervised: supervision.enabled, phases: plan },
  );
  const isStrict = hasPolicy(policy);
  return {
    plan: isStrict ? withFixedGates(plan) : [...plan],
    options: isStrict ? { ...options, ...ASKS } : options,
    supervision,
    minimalSummary: supervised.minimal,
    settings: supervised.settings,
  };
}

type Readings = { readonly settings: SettingsReading; readonly found: SettingsReading };
type SupervisionChoice = {
  readonly supervision: Supervision;
  readonly minimal: boolean;
  readonly settings: SettingsReading;
};

/** Like a start on a user's machine, except that unreadable settings supervise every phase. */
function supervise(readings: Readings, plan: readonly PhaseRule[], isWanted: boolean): SupervisionChoice {
  const { settings, found } = readings;
  if (isWanted || found.is === "unreadable") return switchedOn(readings, plan);
  if (found.is !== "set") return { supervision: { enabled: false, phases: "all" }, minimal: false, settings };
  return { supervision: { enabled: found.enabled, phases: found.phases }, minimal: found.minimal, settings };
}

/** Options of the request, in the form that a terminal provides. */
function readDecisions({ choices }: StartRequest): Decisions {
  const tests = choices.find(({ flag }) => flag === "--tests")?.option;
  return tests === undefined ? {} : { tests };
}

/**
 * Returns the tests reported by the worker. A chosen command must be named in the request.
 * @throws ProblemError NOT_ALLOWED
 */
function requestedTests(start: StartRequest, tests: StartFacts["tests"]): StartFacts["tests"] {
  const decisions = readDecisions(start);
  if (tests === null || isWithoutTests({ decisions })) return null;
  const isNamed = tests.more === undefined && tests.argv.join(" ") === decisions.tests;
  if (tests.isChosen === true && !isNamed) throw refusedField("tests", "the request names no such command");
  return tests;
}
