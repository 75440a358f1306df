import type { Usage } from "../../schema/agent.ts";
import type { AssistantLine, Tokens } from "./claude-line.ts";

export interface RunningUsage {
  /** What was used so far; null when this line adds nothing. */
  add(line: AssistantLine): Usage | null;
}

/**
 * Adds up the calls to the model while they are made. The output is what was counted when each answer began, so the
 * true figure is higher; it comes with the result, as does the cost.
 */
export function createRunningUsage(): RunningUsage {
  const total = { input: 0, output: 0 };
  const lastOf = new Map<string, Counted>();
  return {
    add: ({ message }) => {
      const { id, usage } = message;
      if (id === undefined || !usage) return null;
      const before = lastOf.get(id) ?? NOTHING;
      const now = counted(usage);
      const more = { input: Math.max(0, now.input - before.input), output: Math.max(0, now.output - before.output) };
      if (more.input + more.output === 0) return null;
      lastOf.set(id, { input: before.input + more.input, output: before.output + more.output });
      total.input += more.input;
      total.output += more.output;
      return { ...total, usd: null };
    },
  };
}

type Counted = { readonly input: number; readonly output: number };

const NOTHING: Counted = { input: 0, output: 0 };

function counted(usage: Tokens): Counted {
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return { input, output: usage.output_tokens };
}
