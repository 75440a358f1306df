import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { Workflows } from "../../ports/workflows.ts";

/** Names of all supported agents, in order of preference. */
export const AGENT_NAMES = [
  "claude",
  "codex",
  "gemini",
  "opencode",
  "copilot",
  "qwen",
  "claude-acp",
  "codex-acp",
  "acp",
  "session",
] as const;

/** Agents to detect in this order if none is chosen. Only agents that run no repository commands on their own. */
export const DETECTED_AGENTS: readonly string[] = ["claude", "codex", "gemini"];

/** Model option of each program; opencode uses a setting instead. */
const MODEL_FLAGS: ReadonlyMap<string, string> = new Map([
  ["claude", "--model"],
  ["codex", "-m"],
  ["gemini", "-m"],
  ["copilot", "--model"],
  ["qwen", "-m"],
]);
const TAKES_MODEL: readonly string[] = [...MODEL_FLAGS.keys(), "opencode"];

/** No leading dash: the agent's program would parse the model as an option. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

export type ReadChoice =
  | { readonly ok: true; readonly agent: RememberedAgent }
  | { readonly ok: false; readonly detail: string };

/** Reads `name` or `name:model`. */
export function readChoice(text: string): ReadChoice {
  const colon = text.indexOf(":");
  const name = colon === -1 ? text : text.slice(0, colon);
  if (!AGENT_NAMES.some((known) => known === name))
    return { ok: false, detail: `there is no agent "${name}"; valid: ${AGENT_NAMES.join(", ")}` };
  if (colon === -1) return { ok: true, agent: { name, argv: null } };
  const model = text.slice(colon + 1);
  if (!TAKES_MODEL.includes(name))
    return { ok: false, detail: `${name} does not take a model here; these do: ${TAKES_MODEL.join(", ")}` };
  if (!MODEL.test(model)) return { ok: false, detail: `invalid model name "${model}"` };
  return { ok: true, agent: { name, argv: null, model } };
}

export function choiceText({ name, model }: RememberedAgent): string {
  return model === undefined ? name : `${name}:${model}`;
}

/** Returns the arguments that choose the model; empty for agents without a model option. */
export function modelArguments({ name, model }: RememberedAgent): readonly string[] {
  const option = MODEL_FLAGS.get(name);
  return model === undefined || option === undefined ? [] : [option, model];
}

export const sameAgent = (one: RememberedAgent, other: RememberedAgent): boolean => agentKey(one) === agentKey(other);

/** Returns the same text for the same program, arguments and model. */
export const agentKey = ({ name, argv, model }: RememberedAgent): string => JSON.stringify([name, argv, model ?? null]);

/** Returns the agent that works on a phase; `reviewAgent` returns its reviewer. */
export const phaseAgent = ({ phase, phases }: RunAgents, key: PhaseKey): RememberedAgent => phases?.[key] ?? phase;
export const reviewAgent = ({ reviewer, reviewers }: RunAgents, key: PhaseKey): RememberedAgent =>
  reviewers?.[key] ?? reviewer;

/** Lists each agent of a run once. */
export function allAgents({ phase, reviewer, phases, reviewers }: RunAgents): readonly RememberedAgent[] {
  const all = [phase, reviewer, ...Object.values(phases ?? {}), ...Object.values(reviewers ?? {})];
  return [...new Map(all.map((agent) => [agentKey(agent), agent])).values()];
}

/** Lists each phase of the shipped workflows once. */
export const shippedPhases = (workflows: Pick<Workflows, "names" | "load">): readonly PhaseKey[] => [
  ...new Set(workflows.names().flatMap((name) => workflows.load(name).phases.map(({ key }) => key))),
];
