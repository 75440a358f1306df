import { toJSONSchema } from "zod/mini";
import type { AgentTask } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";

/** Combines all parts into one text: the protocol supports neither system prompts nor structured results. */
export function acpPrompt({ persona, prompt, role }: AgentTask): string {
  return [persona, prompt, resultRequest(role)].filter((part) => part !== "").join("\n\n");
}

/** Returns the second prompt of a conversation, sent once if the final message had no valid result. */
export function acpReminder(role: AgentTask["role"], problem: string): string {
  return `Your last message does not end with the result that was asked for: ${problem}\n\n${resultRequest(role)}`;
}

function resultRequest(role: AgentTask["role"]): string {
  const schema = toJSONSchema(role === "phase" ? AgentResult : Verdict, { target: "draft-7", io: "input" });
  return [
    "When all is done, end your final message with your result: one JSON object in a ```json block, and nothing after it.",
    "It has to fit this JSON schema:",
    JSON.stringify(schema),
  ].join("\n");
}
