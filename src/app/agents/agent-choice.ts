import type { RememberedAgent } from "../../schema/run-agents.ts";

/** Every agent that has a name, those first that are preferred where none is chosen. */
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

/** Looked for in this order when nothing is chosen: only such as start no program of the repository by themselves. */
export const DETECTED_AGENTS: readonly string[] = ["claude", "codex", "gemini"];

/** How a program is told its model; opencode has a setting instead of an argument. */
const MODEL_FLAGS: ReadonlyMap<string, string> = new Map([
  ["claude", "--model"],
  ["codex", "-m"],
  ["gemini", "-m"],
  ["copilot", "--model"],
  ["qwen", "-m"],
]);
const TAKES_MODEL: readonly string[] = [...MODEL_FLAGS.keys(), "opencode"];

/** No leading dash: it would be an option of the program. */
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

/** The arguments that choose the model; none where there is another way. */
export function modelArguments({ name, model }: RememberedAgent): readonly string[] {
  const option = MODEL_FLAGS.get(name);
  return model === undefined || option === undefined ? [] : [option, model];
}

export const sameAgent = (one: RememberedAgent, other: RememberedAgent): boolean => agentKey(one) === agentKey(other);

/** The same text for the same program, arguments and model. */
export const agentKey = ({ name, argv, model }: RememberedAgent): string => JSON.stringify([name, argv, model ?? null]);
