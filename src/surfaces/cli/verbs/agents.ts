import type { RememberedAgent } from "../../../schema/run-agents.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { choiceText, shippedPhases } from "../../../app/agents/agent-choice.ts";
import { capabilityRows } from "../../../app/agents/capability-rows.ts";
import { type SetAgents, setAgents } from "../../../app/agents/choose-agents.ts";
import { needsSandbox } from "../../../compose/needs-sandbox.ts";
import { detectAgent, type SeenAgent, seeAgents } from "../../../compose/known-agents.ts";
import { openProject } from "../../../compose/project.ts";
import { done, type Run } from "../invocation/verb.ts";

/** Lists the supported agents, their abilities, and the ones that new runs would use. */
export const agents: Run = async (invocation) => {
  const { settings: store, workflows, env } = openProject(invocation.cwd, invocation.env);
  const seen = await seeAgents(env);
  const { settings, warnings } = store.read();
  const set = setAgents(settings, shippedPhases(workflows));
  const uses = listUses(set, detectAgent(env));
  const all = [...warnings, ...set.warnings];
  for (const warning of all) invocation.io.err(`warning: ${warning}`);
  const lines = [...seen.flatMap(agentLines), "", "New runs use:", ...useLines(uses)];
  return done(lines, { agents: seen.map(agentObject), uses, warnings: all });
};

type Use = { readonly agent: string; readonly by: "setting" | "detection" | "same" };

type Uses = {
  /** Null if there is none. */
  readonly default: Use | null;
  readonly reviewer: Use | null;
  readonly phases: Readonly<Record<string, string>>;
  readonly reviewers: Readonly<Record<string, string>>;
};

function listUses(set: SetAgents, detected: string | null): Uses {
  const bySetting = (agent: RememberedAgent | null): Use | null => agent && { agent: shown(agent), by: "setting" };
  const found: Use | null = detected === null ? null : { agent: detected, by: "detection" };
  const usual = bySetting(set.agent) ?? found;
  const texts = (agents: SetAgents["agents"]): Record<string, string> =>
    Object.fromEntries(Object.entries(agents).map(([key, agent]) => [key, shown(agent)]));
  return {
    default: usual,
    reviewer: bySetting(set.reviewer) ?? (usual && { agent: usual.agent, by: "same" }),
    phases: texts(set.agents),
    reviewers: texts(set.reviewers),
  };
}

/** Omits the arguments of a command, which may contain secrets. */
const shown = (agent: RememberedAgent): string =>
  agent.argv === null ? choiceText(agent) : `${agent.name} (${plainLine(agent.argv[0] ?? "")})`;

function useLines({ default: usual, reviewer, phases, reviewers }: Uses): string[] {
  const why = { setting: "set by you", detection: "found on PATH", same: "the agent of the phase" };
  const told = (use: Use | null): string => (use === null ? "none" : `${use.agent} (${why[use.by]})`);
  const rows: (readonly [string, string])[] = [
    ["phases", told(usual)],
    ...Object.entries(phases).map(([key, agent]) => [`phase ${key}`, agent] as const),
    ["reviews", told(reviewer)],
    ...Object.entries(reviewers).map(([key, agent]) => [`review of ${key}`, agent] as const),
  ];
  const width = Math.max(...rows.map(([what]) => what.length));
  return rows.map(([what, agent]) => `  ${what.padEnd(width)}  ${agent}`);
}

function agentObject({ name, path, able, trouble, install, signIn }: SeenAgent) {
  const rows = able === null ? [] : capabilityRows({ name, able, needsSandbox: needsSandbox(name) });
  const abilities = rows.map(({ name: ability, can, reason }) => ({ ability, can, reason }));
  return { name, path, version: able?.version ?? null, trouble, abilities, install, signIn };
}

const NAME_WIDTH = 12;

function agentLines({ name, path, able, trouble, install, signIn }: SeenAgent): string[] {
  const first = (text: string): string => `${name.padEnd(NAME_WIDTH)}${text}`;
  const below = (text: string): string => `${" ".repeat(NAME_WIDTH)}${text}`;
  if (path === null) return [first(`not found. ${install}`), below(signIn)];
  if (able === null) return [first(`does not work: ${plainLine(trouble ?? "")}`), below(path)];
  const rows = capabilityRows({ name, able, needsSandbox: needsSandbox(name) });
  const can = rows.filter((row) => row.can).map((row) => row.name);
  const cannot = rows.flatMap(({ reason }) => reason ?? []);
  return [first(`${plainLine(able.version)}  ${path}`), below(`has: ${can.join(", ")}`), ...cannot.map(below)];
}
