import { identifyCaller, type Caller } from "../../adapters/caller/identify-caller.ts";
import { tokenCreatedAt, verifyToken } from "../../adapters/caller/operator-token.ts";
import { systemSurroundings } from "../../adapters/caller/system-surroundings.ts";
import { readUserSettings } from "../../adapters/user-files/user-settings.ts";
import { ProblemError } from "../../core/problem.ts";
import { currentPhase, type RunState } from "../../core/run.ts";
import type { Person, Starter } from "../../schema/people.ts";
import { currentRun, driverOf, type Project } from "./project.ts";
import { flag, type Invocation, text } from "./verb.ts";

/** The person behind a deciding verb. @throws ProblemError when there is none, or when it is an agent. */
export function decider(
  invocation: Invocation,
  project: Project,
  state: RunState = currentRun(project, undefined).state,
): Person {
  const caller = identify(invocation, state);
  const token = text(invocation.values, "token") ?? project.env["ISDLC_OPERATOR_TOKEN"];
  const person = token === undefined ? atTerminal(invocation, caller) : byToken(project, token, state);
  const { approvals } = readUserSettings(project.folders.config, project.files).settings;
  if (approvals !== undefined && !approvals.includes(person.channel)) throw needsPerson(invocation);
  const name = text(invocation.values, "as");
  return name === undefined ? person : { ...person, name };
}

/** Who begins work: a person, or a script; never an agent. */
export function starterOf(invocation: Invocation, project: Project): Starter {
  const caller = identify(invocation, currentRun(project, undefined).state);
  const name = text(invocation.values, "as");
  if (caller.kind === "person") return name === undefined ? caller.person : { ...caller.person, name };
  return { name: name ?? "script", channel: "script" };
}

/** True where a first token may be made without a terminal: asked for with --yes, none made before, no run open. */
export function freshToken(invocation: Invocation, project: Project): boolean {
  const { state } = currentRun(project, undefined);
  identify(invocation, state);
  const fresh = tokenCreatedAt(project.folders.config) === null && state.is !== "active";
  return fresh && flag(invocation.values, "yes");
}

/** While somebody has the gate before them at a terminal, another terminal does not answer it under their hands. */
export function refuseWhileHeld(project: Project, by: Person): void {
  const pid = driverOf(project);
  if (pid !== null && pid !== process.pid && by.channel === "terminal")
    throw new ProblemError({ code: "GATE_HELD", pid });
}

function identify({ verb }: Invocation, state: RunState): Caller {
  const caller = identifyCaller(systemSurroundings(), runFacts(state));
  if (caller.kind !== "agent") return caller;
  throw new ProblemError({ code: "ANSWERED_BY_AGENT", verb: verb.name, evidence: caller.evidence });
}

function runFacts(state: RunState) {
  if (state.is !== "active") return { drivers: [], agentRunningSince: null };
  const { stage } = state;
  const claim = "claim" in stage ? stage.claim : null;
  const phase = currentPhase(state);
  const time = (at: string | null | undefined): number | null =>
    at === null || at === undefined ? null : Date.parse(at);
  return {
    drivers: claim === null ? [] : [claim.driver],
    agentRunningSince: time(phase?.startedAt),
    agentRunningUntil: time(phase?.completedAt),
  };
}

function atTerminal(invocation: Invocation, caller: Caller): Person {
  if (caller.kind === "person") return caller.person;
  throw needsPerson(invocation);
}

function byToken(project: Project, token: string, state: RunState): Person {
  const checked = verifyToken(project.folders.config, token);
  const refuse = (detail: string): ProblemError => new ProblemError({ code: "TOKEN_REFUSED", detail });
  if (!checked.ok) throw refuse(checked.detail);
  if (state.is === "active" && checked.createdAt >= state.run.startedAt)
    throw refuse("it was made while this run was open");
  return { name: "operator", channel: "token", origin: { pid: process.pid, session: null, terminal: null } };
}

const needsPerson = ({ verb }: Invocation): ProblemError => new ProblemError({ code: "NEEDS_PERSON", verb: verb.name });
