import { join } from "node:path";
import { identifyCaller, type Caller, type RunFacts, suspicionOf } from "../../adapters/caller/identify-caller.ts";
import { tokenChangedAt, tokenCreatedAt, verifyToken } from "../../adapters/caller/operator-token.ts";
import { systemSurroundings } from "../../adapters/caller/system-surroundings.ts";
import { workSpans } from "../../adapters/caller/work-spans.ts";
import { systemProcessTable } from "../../adapters/process/process-table.ts";
import { readUserSettings } from "../../adapters/user-files/user-settings.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Claim } from "../../schema/facts.ts";
import type { Person, Initiator } from "../../schema/people.ts";
import { currentRun, driverOf, itemProject, openProject, type Project } from "./project.ts";
import { analysedItems } from "./project-of.ts";
import { flag, type Invocation, text } from "./grammar/verb.ts";

/** The person behind a deciding verb. @throws ProblemError when there is none, or when it is an agent. */
export function authorize(
  invocation: Invocation,
  project: Project,
  state: RunState = currentRun(project, undefined).state,
): Person {
  const run = runFacts(project, state);
  const caller = identify(invocation, run);
  const token = text(invocation.values, "token") ?? project.env["ISDLC_OPERATOR_TOKEN"];
  const person = token === undefined ? atTerminal(invocation, caller) : byToken(project, token, { state, run });
  const { settings, warnings, found, bad } = readUserSettings(project.folders.config, project.files);
  if (found === null || bad.includes("approvals")) throw settingsUnreadable(project);
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  const { approvals } = settings;
  if (approvals !== undefined && !approvals.includes(person.channel)) throw needsPerson(invocation);
  const name = text(invocation.values, "as");
  return name === undefined ? person : { ...person, name };
}

/** Who may answer is not guessed. */
export const settingsUnreadable = ({ folders }: Pick<Project, "folders">): ProblemError =>
  new ProblemError({
    code: "SETTINGS_UNREADABLE",
    file: join(folders.config, "config.json"),
    detail: "it is no JSON object, or who may approve means nothing in it",
  });

/** Who begins work: a person, or a script; never an agent. */
export function initiatorOf(invocation: Invocation, project: Project): Initiator {
  const caller = identify(invocation, runFacts(project, currentRun(project, undefined).state));
  const name = text(invocation.values, "as");
  if (caller.kind === "person") return name === undefined ? caller.person : { ...caller.person, name };
  return { name: name ?? "script", channel: "script" };
}

/** True where a first token may be made without a terminal: asked for with --yes, none made before, no run open. */
export function freshToken(invocation: Invocation, project: Project): boolean {
  const { state } = currentRun(project, undefined);
  identify(invocation, runFacts(project, state));
  const fresh = tokenCreatedAt(project.folders.config) === null && state.is !== "active";
  return fresh && flag(invocation.values, "yes");
}

/** While somebody has the gate before them at a terminal, another terminal does not answer it under their hands. */
export function refuseWhileHeld(project: Project, by: Person): void {
  const pid = driverOf(project);
  if (pid !== null && pid !== process.pid && by.channel === "terminal")
    throw new ProblemError({ code: "GATE_HELD", pid });
}

function identify({ verb }: Invocation, run: RunFacts): Caller {
  const caller = identifyCaller(systemSurroundings(), run);
  if (caller.kind !== "agent") return caller;
  throw new ProblemError({ code: "ANSWERED_BY_AGENT", verb: verb.name, evidence: caller.evidence });
}

function runFacts(project: Project, state: RunState): RunFacts {
  const works = [workIn(project, state), ...sisters(project).map((sister) => workIn(sister, stateOf(sister)))];
  const spans = works.flatMap((work) => work.spans).toSorted((one, other) => one.since - other.since);
  const last = spans.at(-1);
  return {
    drivers: works.flatMap((work) => work.drivers),
    agentRunningSince: last?.since ?? null,
    agentRunningUntil: last?.until ?? null,
    earlierWork: spans.slice(0, -1),
  };
}

/** Agents of one run can reach for the gates of another: the tree's run and every item's analysis count. */
function sisters(project: Project): Project[] {
  const tree = project.item === null ? [] : [openProject(project.root, project.env, project.files)];
  const others = analysedItems(project).filter((name) => name !== project.item);
  return [...tree, ...others.map((name) => itemProject(project, name))];
}

function stateOf(project: Project): RunState {
  try {
    return currentRun(project, undefined).state;
  } catch {
    return noRun; // whoever works with that journal is told what is wrong with it
  }
}

function workIn(project: Project, state: RunState) {
  if (state.is !== "active") return { drivers: [], spans: [] };
  const events = project.journal.events(state.run.run);
  const recorded = events.flatMap((event) => (event.type === "execution.started" ? [event.claim.driver] : []));
  return { drivers: [...recorded, ...drivingNow(project)], spans: workSpans(events) };
}

/** Hooks and tests that an agent left behind run below the driver, also when it claims no execution. */
function drivingNow(project: Project): Claim["driver"][] {
  const pid = driverOf(project);
  const table = systemProcessTable();
  const facts = pid === null ? null : table.one(pid);
  return facts === null ? [] : [{ pid: facts.pid, started: facts.started, boot: table.boot() }];
}

function atTerminal(invocation: Invocation, caller: Caller): Person {
  if (caller.kind === "person") return caller.person;
  throw needsPerson(invocation);
}

function byToken(project: Project, token: string, { state, run }: { state: RunState; run: RunFacts }): Person {
  const { config } = project.folders;
  const checked = verifyToken(config, token);
  const refuse = (detail: string): ProblemError => new ProblemError({ code: "TOKEN_REFUSED", detail });
  if (!checked.ok) throw refuse(checked.detail);
  const madeAt = [checked.createdAt, tokenChangedAt(config) ?? ""];
  if (state.is === "active" && madeAt.some((time) => time >= state.run.startedAt))
    throw refuse("it was made while this run was open");
  const suspicious = suspicionOf(systemSurroundings(), run);
  const origin = { pid: process.pid, session: null, terminal: null };
  const person: Person = { name: "operator", channel: "token", origin };
  return suspicious === null ? person : { ...person, suspicious };
}

const needsPerson = ({ verb }: Invocation): ProblemError => new ProblemError({ code: "NEEDS_PERSON", verb: verb.name });
