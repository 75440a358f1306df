import * as z from "zod/mini";
import { pieces } from "./pieces.ts";
import { openAiError } from "./responses-wire.ts";
import type { ModelRequest } from "./scenario.ts";
import type { Answer, ServerEvent, Wire } from "./wire.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.optional(z.string()) }))]);
const Spoken = z.looseObject({
  role: z.enum(["user", "assistant", "system", "developer", "tool"]),
  content: z.optional(z.nullable(Content)),
  tool_calls: z._default(z.array(z.looseObject({ id: z.string() })), []),
  tool_call_id: z.optional(z.string()),
});
const Body = z.looseObject({
  model: z.string(),
  stream: z._default(z.boolean(), false),
  messages: z.array(Spoken),
  tools: z._default(z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })), []),
});

/** The OpenAI Chat Completions API, supported by many services. */
export const chatWire: Wire = {
  name: "openai-chat",
  resultTool: null,
  owns: (method, path) => method === "POST" && path.endsWith("/chat/completions"),
  parse,
  callId: (key) => `call_${key}`,
  events,
  plain,
  error: openAiError,
  side: () => undefined,
};

function parse(body: unknown): ModelRequest {
  const request = z.parse(Body, body);
  const messages = request.messages.map(({ role, content, tool_calls, tool_call_id }) => ({
    role: role === "developer" ? ("system" as const) : role,
    text: joinText(content ?? ""),
    callIds: tool_call_id === undefined ? tool_calls.map(({ id }) => id) : [tool_call_id],
  }));
  const told = messages.filter(({ role }) => role === "system").map(({ text }) => text);
  return {
    model: request.model,
    stream: request.stream,
    system: told.join("\n"),
    messages,
    tools: request.tools.map((tool) => tool.function.name),
  };
}

function joinText(content: z.infer<typeof Content>): string {
  return typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n");
}

function events(answer: Answer): ServerEvent[] {
  const base = { ...envelope(answer), object: "chat.completion.chunk" };
  const chunk = (delta: object, finish_reason: string | null = null): ServerEvent => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
  });
  const calls = toolCalls(answer).flatMap((call, index) => {
    const opening = { ...call, index, function: { ...call.function, arguments: "" } };
    const rest = pieces(call.function.arguments).map((piece) => ({ index, function: { arguments: piece } }));
    return [opening, ...rest].map((part) => chunk({ tool_calls: [part] }));
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(answer.text).map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishReason(answer)),
    { data: { ...base, choices: [], usage: toUsage(answer) } },
    { data: "[DONE]" },
  ];
}

function plain(answer: Answer): unknown {
  const calls = answer.calls.length === 0 ? {} : { tool_calls: toolCalls(answer) };
  const message = { role: "assistant", content: answer.text === "" ? null : answer.text, ...calls };
  const choice = { index: 0, message, finish_reason: finishReason(answer) };
  return { ...envelope(answer), object: "chat.completion", choices: [choice], usage: toUsage(answer) };
}

const envelope = ({ id, model }: Answer) => ({ id: `chatcmpl_${id}`, created: 0, model });

const toolCalls = ({ calls }: Answer) =>
  calls.map(({ id, tool, input }) => ({
    id,
    type: "function" as const,
    function: { name: tool, arguments: JSON.stringify(input) },
  }));

const finishReason = ({ calls }: Answer): string => (calls.length > 0 ? "tool_calls" : "stop");

/** This API includes cached tokens in the prompt tokens. */
function toUsage({ usage }: Answer) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
  };
}
