import type { ScriptedCall } from "./scenario.ts";

export type ToolCall = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** Tool names by agent; the first that is offered is used. */
const SHELLS = ["Bash"];
const WRITERS = ["Write"];
const READERS = ["Read"];

/**
 * The call in the tools the agent offers. A tool it does not offer is called all the same under its usual
 * name: that is how a model that breaks its rules looks to the agent.
 */
export function toToolCall(call: ScriptedCall, offered: readonly string[]): ToolCall {
  if ("tool" in call) return call;
  if ("shell" in call) {
    return { tool: pick(SHELLS, offered), input: { command: call.shell, description: "scripted" } };
  }
  if ("read" in call) return { tool: pick(READERS, offered), input: { file_path: call.read } };
  const { path, content } = call.write;
  return { tool: pick(WRITERS, offered), input: { file_path: path, content } };
}

function pick(names: readonly string[], offered: readonly string[]): string {
  const name = names.find((candidate) => offered.includes(candidate)) ?? names[0];
  if (name === undefined) throw new Error("no tool name to pick from");
  return name;
}
