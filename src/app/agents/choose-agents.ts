import { parseCommandLine } from "../../core/command-line.ts";
import { NO_AGENT_NAME } from "../../core/adoption.ts";
import { ProblemError } from "../../core/problem.ts";
import { SESSION_AGENT } from "../../core/next.ts";
import type { Agents } from "../../ports/agents.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import type { UserSettings } from "../../schema/user-settings.ts";
import { type ReadChoice, readChoice, sameAgent, phaseAgent } from "./agent-choice.ts";
type Role = "agent" | "reviewer";
type ByPhase = Readonly<Record<PhaseKey, RememberedAgent>>;

/** Agents named in the request; null if none was named. */
export type AskedAgents = { readonly agent: RememberedAgent | null; readonly reviewer: RememberedAgent | null };

type Among = {
  readonly agents: Pick<Agents, "detect" | "noAgent">;
  readonly phases: readonly PhaseKey[];
  /** Phases of all shipped workflows. */
  readonly known: readonly PhaseKey[];
};

export type ChosenAgents = {
  readonly agents: RunAgents;
  /** Agent used because it was detected, not because it was chosen. */
  readonly detected: string | null;
  /** Invalid settings, which are not used. */
  readonly warnings: readonly string[];
};

/**
 * Chooses the agents of a new run: from the request, else from the user's settings, else an installed one. A phase
 * with its own setting uses that agent, unless the request names one: this applies to all phases. Nothing is ever read
 * from the project.
 * @throws ProblemError NO_AGENT if none is chosen and none installed.
 */
export function chooseAgents(asked: AskedAgents, settings: UserSettings, among: Among): ChosenAgents {
  const { phases, known } = among;
  const set = setAgents(settings, known);
  const chosen = asked.agent ?? set.agent;
  const detected = chosen === null ? among.agents.detect() : null;
  if (chosen === null && detected === null) throw new ProblemError(among.agents.noAgent());
  const phase = chosen ?? { name: detected ?? "", argv: null };
  const reviewer = asked.reviewer ?? set.reviewer;
  const own = asked.agent === null ? only(set.agents, phases) : {};
  // Without a reviewer, an agent reviews its own work, and so does the agent of a single phase.
  const reviewers =
    asked.reviewer === null ? { ...(reviewer === null ? own : {}), ...only(set.reviewers, phases) } : {};
  const agents = {
    phase,
    reviewer: reviewer ?? reviewerFor(phase, among.agents),
    ...named("phases", own),
    ...named("reviewers", reviewers),
  };
  return { agents, detected, warnings: set.warnings };
}

const NO_AGENT: RememberedAgent = { name: NO_AGENT_NAME, argv: null };

/** Agents for adopted work: the reviewer only if the user chose one, and an agent for a redo if there is one. */
export function chooseForAdoption(asked: AskedAgents, settings: UserSettings, among: Among): ChosenAgents {
  const set = setAgents(settings, among.known);
  const detected = among.agents.detect();
  const found = detected === null ? NO_AGENT : { name: detected, argv: null };
  const chosen = asked.agent ?? set.agent;
  const reviewer = asked.reviewer ?? set.reviewer ?? (chosen?.name === SESSION_AGENT ? null : chosen);
  return { agents: { phase: chosen ?? found, reviewer: reviewer ?? NO_AGENT }, detected: null, warnings: set.warnings };
}

/**
 * Returns the default reviewer: the agent of the phase. A session cannot review itself; another installed agent does.
 */
function reviewerFor(phase: RememberedAgent, agents: Among["agents"]): RememberedAgent {
  if (phase.name !== SESSION_AGENT) return phase;
  const found = agents.detect();
  if (found === null) throw new ProblemError(agents.noAgent());
  return { name: found, argv: null };
}

/**
 * Changes the agents of an open run. Agents that are not named stay, and an agent that reviewed its own work still
 * does. A named agent or reviewer also replaces those of single phases. Returns null if no earlier agents are known and
 * no new one is named.
 */
export function renameAgents(asked: AskedAgents, before: RunAgents | null): RunAgents | null {
  if (before === null) return asked.agent && { phase: asked.agent, reviewer: asked.reviewer ?? asked.agent };
  const reviewsItself = sameAgent(before.reviewer, before.phase);
  const phase = asked.agent ?? before.phase;
  const reviewer = asked.reviewer ?? (reviewsItself ? phase : before.reviewer);
  const phases = asked.agent === null ? (before.phases ?? {}) : {};
  const others = Object.entries(before.reviewers ?? {}).filter(
    ([key, one]) => asked.agent === null || !sameAgent(one, phaseAgent(before, key)),
  );
  const reviewers = asked.reviewer === null ? Object.fromEntries(others) : {};
  return { phase, reviewer, ...named("phases", phases), ...named("reviewers", reviewers) };
}

const named = <Name extends string>(name: Name, agents: ByPhase): Partial<Record<Name, ByPhase>> =>
  Object.keys(agents).length === 0 ? {} : ({ [name]: agents } as Record<Name, ByPhase>);

const only = (agents: ByPhase, phases: readonly PhaseKey[]): ByPhase =>
  Object.fromEntries(Object.entries(agents).filter(([key]) => phases.includes(key)));

/** Rejects a session as reviewer, because it must not review its own work. */
export function forRole<T extends ReadChoice | null>(role: Role, read: T): T | ReadChoice {
  const isSession = read !== null && read.ok && read.agent.name === SESSION_AGENT;
  return role === "reviewer" && isSession ? { ok: false, detail: "a session cannot review what it made" } : read;
}

export type SetAgents = {
  readonly agent: RememberedAgent | null;
  readonly reviewer: RememberedAgent | null;
  readonly agents: ByPhase;
  readonly reviewers: ByPhase;
  readonly warnings: readonly string[];
};

/** Reads the user's agent settings. Invalid ones cause a warning and count as not set. */
export function setAgents(settings: UserSettings, known: readonly PhaseKey[]): SetAgents {
  const warnings: string[] = [];
  const taken = (key: string, read: ReadChoice | null): RememberedAgent | null => {
    if (read?.ok === false) warnings.push(`the setting ${key} is not used: ${read.detail}.`);
    return read?.ok === true ? read.agent : null;
  };
  const common = (role: Role): RememberedAgent | null =>
    taken(role, forRole(role, readWish(settings[role], settings[`${role}-command`])));
  const byPhase = (role: Role): ByPhase => {
    const found = phaseSettings(settings, role).map(
      ([key, said]) => [key, taken(`${role}.${key}`, forRole(role, readPhaseChoice(key, said, known)))] as const,
    );
    return Object.fromEntries(found.flatMap(([key, agent]) => (agent === null ? [] : [[key, agent]])));
  };
  const agents = { agent: common("agent"), reviewer: common("reviewer") };
  return { ...agents, agents: byPhase("agent"), reviewers: byPhase("reviewer"), warnings };
}

function phaseSettings(settings: UserSettings, role: Role): readonly (readonly [PhaseKey, string])[] {
  const prefix = `${role}.`;
  return Object.entries(settings).flatMap(([name, value]) =>
    name.startsWith(prefix) && typeof value === "string" ? [[name.slice(prefix.length), value] as const] : [],
  );
}

/** Reads the agent of one phase. Only names are valid, as a single phase has no command setting. */
function readPhaseChoice(phase: PhaseKey, said: string, known: readonly PhaseKey[]): ReadChoice {
  if (!known.includes(phase)) return { ok: false, detail: `no workflow has the phase "${phase}"` };
  return readNamed(said);
}

const ANY_ACP = "acp";

/** Reads the name of an agent that needs no command. */
export function readNamed(said: string): ReadChoice {
  const read = readChoice(said);
  if (!read.ok || read.agent.name !== ANY_ACP) return read;
  return { ok: false, detail: `${ANY_ACP} needs the command of the program that speaks it` };
}

/**
 * Reads a name, a command, or both for any program that supports the Agent Client Protocol. Null if neither is given.
 */
export function readWish(name: string | undefined, command: string | undefined): ReadChoice | null {
  if (command === undefined) return name === undefined ? null : readNamed(name);
  const parsed = parseCommandLine(command);
  if (!parsed.ok) return parsed;
  return { ok: true, agent: { name: name === ANY_ACP ? ANY_ACP : "command", argv: [...parsed.argv] } };
}
