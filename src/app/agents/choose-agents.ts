import { parseCommandLine } from "../../core/command-line.ts";
import { ProblemError } from "../../core/problem.ts";
import { SESSION_AGENT } from "../../core/next.ts";
import type { Agents } from "../../ports/agents.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import type { UserSettings } from "../../schema/user-settings.ts";
import { type ReadChoice, readChoice, sameAgent } from "./agent-choice.ts";
import { phaseAgent } from "./chosen-agents.ts";

type Role = "agent" | "reviewer";
type ByPhase = Readonly<Record<PhaseKey, RememberedAgent>>;

/** Named by whoever asks; null where they named none. */
export type AskedAgents = { readonly agent: RememberedAgent | null; readonly reviewer: RememberedAgent | null };

type Among = {
  readonly agents: Pick<Agents, "detect" | "noAgent">;
  readonly phases: readonly PhaseKey[];
  /** The phases of all shipped workflows. */
  readonly known: readonly PhaseKey[];
};

export type ChosenAgents = {
  readonly agents: RunAgents;
  /** The agent that was taken because it was found, and not because somebody chose it. */
  readonly detected: string | null;
  /** Settings that mean nothing and are not used. */
  readonly warnings: readonly string[];
};

/**
 * The agents of a new run: what was asked for, else what the person set, else what is installed. A phase with a setting
 * of its own has that agent, unless one was asked for: that is for all of them. Never anything from the project.
 * @throws ProblemError NO_AGENT when none is chosen and none installed.
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
  // Who has no reviewer reviews themselves, and so does the agent of a single phase.
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

/** Who has no reviewer reviews themselves; a session cannot, so another agent that is installed does. */
function reviewerFor(phase: RememberedAgent, agents: Among["agents"]): RememberedAgent {
  if (phase.name !== SESSION_AGENT) return phase;
  const found = agents.detect();
  if (found === null) throw new ProblemError(agents.noAgent());
  return { name: found, argv: null };
}

/**
 * The agents of an open run when others are named: what is not named stays, and who reviewed their own work still does.
 * Null when nothing is known that could stay.
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

/** Work is judged by somebody else than the session that did it. */
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

/** The person's settings; what means nothing is told and counts as not set. */
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

/** The agent of one phase: one that has a name, as there is no command for a single phase. */
function readPhaseChoice(phase: PhaseKey, said: string, known: readonly PhaseKey[]): ReadChoice {
  if (!known.includes(phase)) return { ok: false, detail: `no workflow has the phase "${phase}"` };
  return readNamed(said);
}

const ANY_ACP = "acp";

/** An agent that starts without a command. */
export function readNamed(said: string): ReadChoice {
  const read = readChoice(said);
  if (!read.ok || read.agent.name !== ANY_ACP) return read;
  return { ok: false, detail: `${ANY_ACP} needs the command of the program that speaks it` };
}

/** A name, a command, or for any program that speaks the Agent Client Protocol both; null for neither. */
export function readWish(name: string | undefined, command: string | undefined): ReadChoice | null {
  if (command === undefined) return name === undefined ? null : readNamed(name);
  const parsed = parseCommandLine(command);
  if (!parsed.ok) return parsed;
  return { ok: true, agent: { name: name === ANY_ACP ? ANY_ACP : "command", argv: [...parsed.argv] } };
}
