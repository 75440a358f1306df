import * as z from "zod/mini";
import { pieces } from "./pieces.ts";
import type { Message, ModelRequest } from "./scenario.ts";
import type { Answer, ServerEvent, Wire } from "./wire.ts";

const Block = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  id: z.optional(z.string()),
  tool_use_id: z.optional(z.string()),
  content: z.optional(z.unknown()),
});
type Block = z.infer<typeof Block>;
const Content = z.union([z.string(), z.array(Block)]);
const Body = z.looseObject({
  model: z.string(),
  stream: z._default(z.boolean(), false),
  system: z._default(Content, ""),
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "system"]), content: Content })),
  tools: z._default(z.array(z.looseObject({ name: z.string() })), []),
});

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** The Anthropic Messages API. */
export const anthropicWire: Wire = {
  name: "anthropic",
  resultTool: "StructuredOutput",
  owns: (method, path) => method === "POST" && path.endsWith("/v1/messages"),
  parse,
  callId: (key) => `toolu_${key}`,
  events,
  plain: (answer) => ({ ...envelope(answer), content: toContent(answer), stop_reason: stopReason(answer) }),
  error: (status, message) => ({ type: "error", error: { type: ERROR_TYPES[status] ?? "api_error", message } }),
  side: (method, path, body) => {
    if (method !== "POST" || !path.endsWith("/v1/messages/count_tokens")) return undefined;
    return { input_tokens: Math.ceil(JSON.stringify(body ?? "").length / 4) };
  },
};

function parse(body: unknown): ModelRequest {
  const request = z.parse(Body, body);
  return {
    model: request.model,
    stream: request.stream,
    system: joinText(request.system),
    messages: request.messages.flatMap(({ role, content }) => toMessages(role, content)),
    tools: request.tools.map((tool) => tool.name),
  };
}

/** A user message may contain tool results and a prompt: these become two messages. */
function toMessages(role: Message["role"], content: z.infer<typeof Content>): Message[] {
  const text = joinText(content);
  const blocks = typeof content === "string" ? [] : content;
  if (role === "assistant") {
    const callIds = blocks.flatMap((block) => (block.type === "tool_use" && block.id !== undefined ? [block.id] : []));
    return [{ role, text, callIds }];
  }
  const results = blocks.filter((block) => block.type === "tool_result");
  if (results.length === 0) return [{ role, text, callIds: [] }];
  const answered: Message = {
    role: "tool",
    text: results.map(resultText).join("\n"),
    callIds: results.flatMap((block) => block.tool_use_id ?? []),
  };
  return text === "" ? [answered] : [answered, { role, text, callIds: [] }];
}

function resultText(block: Block): string {
  const content = z.safeParse(Content, block.content);
  return content.success ? joinText(content.data) : "";
}

function joinText(content: z.infer<typeof Content>): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? (block.text ?? []) : [])).join("\n");
}

const event = (type: string, rest: Record<string, unknown>): ServerEvent => ({ event: type, data: { type, ...rest } });

function events(answer: Answer): ServerEvent[] {
  const start = { ...envelope(answer), content: [], stop_reason: null };
  const blocks = toContent(answer).flatMap((block, index) => {
    const isText = block.type === "text";
    const whole = isText ? block.text : JSON.stringify(block.input);
    const deltas = pieces(whole).map((piece) =>
      isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece },
    );
    return [
      event("content_block_start", { index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
  });
  return [
    event("message_start", { message: { ...start, usage: { ...toUsage(answer), output_tokens: 1 } } }),
    event("ping", {}),
    ...blocks,
    event("message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: answer.usage.output },
    }),
    event("message_stop", {}),
  ];
}

function envelope(answer: Answer) {
  const { id, model } = answer;
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null, usage: toUsage(answer) };
}

function toContent(answer: Answer) {
  const calls = answer.calls.map(({ id, tool, input }) => ({ type: "tool_use" as const, id, name: tool, input }));
  return answer.text === "" ? calls : [{ type: "text" as const, text: answer.text }, ...calls];
}

const stopReason = (answer: Answer): string => (answer.calls.length > 0 ? "tool_use" : "end_turn");

function toUsage({ usage }: Answer) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}
