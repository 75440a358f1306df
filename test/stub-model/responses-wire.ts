import * as z from "zod/mini";
import { pieces } from "./pieces.ts";
import type { Message, ModelRequest } from "./scenario.ts";
import type { Answer, ServerEvent, Wire } from "./wire.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.optional(z.string()) }))]);
type Content = z.infer<typeof Content>;
const Item = z.looseObject({
  type: z._default(z.string(), "message"),
  role: z.optional(z.enum(["user", "assistant", "system", "developer"])),
  content: z.optional(z.nullable(Content)),
  call_id: z.optional(z.string()),
  output: z.optional(Content),
});
type Item = z.infer<typeof Item>;
const Tool = z.looseObject({ type: z.string(), name: z.optional(z.string()) });
const Body = z.looseObject({
  model: z.string(),
  stream: z._default(z.boolean(), false),
  instructions: z._default(z.string(), ""),
  input: z.array(Item),
  tools: z._default(z.array(Tool), []),
});

/** The OpenAI Responses API. A structured result is plain text, requested by `text.format`. */
export const responsesWire: Wire = {
  name: "openai-responses",
  resultTool: null,
  owns: (method, path) => method === "POST" && path.endsWith("/responses"),
  parse,
  callId: (key) => `call_${key}`,
  events,
  plain: (answer) => ({ ...envelope(answer), status: "completed", output: toItems(answer), usage: toUsage(answer) }),
  error: openAiError,
  side: (method, path) => {
    if (method !== "GET" || !path.endsWith("/models")) return undefined;
    return { object: "list", data: [], models: [] };
  },
};

/** The error body that both OpenAI APIs share. */
export function openAiError(status: number, message: string): unknown {
  const type = status === 429 ? "rate_limit_exceeded" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, code: null, param: null } };
}

function parse(body: unknown): ModelRequest {
  const request = z.parse(Body, body);
  const messages = request.input.flatMap(toMessages);
  const told = messages.filter(({ role }) => role === "system").map(({ text }) => text);
  return {
    model: request.model,
    stream: request.stream,
    system: [request.instructions, ...told].join("\n"),
    messages,
    tools: request.tools.map((tool) => tool.name ?? tool.type),
  };
}

/** Codex describes its environment in a user message, which is not a prompt. */
const SURROUNDINGS = "<environment_context>";

/** Calls and their outputs are separate items. Other items (reasoning) do not matter for turns. */
function toMessages(item: Item): Message[] {
  if (item.type === "message") {
    const text = joinText(item.content ?? "");
    const role = item.role === "developer" || text.startsWith(SURROUNDINGS) ? "system" : (item.role ?? "user");
    return [{ role, text, callIds: [] }];
  }
  const callIds = item.call_id === undefined ? [] : [item.call_id];
  if (item.type.endsWith("_output")) return [{ role: "tool", text: joinText(item.output ?? ""), callIds }];
  return item.type.endsWith("_call") ? [{ role: "assistant", text: "", callIds }] : [];
}

function joinText(content: Content): string {
  return typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n");
}

function events(answer: Answer): ServerEvent[] {
  const items = toItems(answer);
  const begun = { ...envelope(answer), status: "in_progress", output: [] };
  const done = { ...envelope(answer), status: "completed", output: items, usage: toUsage(answer) };
  const all = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    { type: "response.completed", response: done },
  ];
  return all.map((data, at) => ({ event: data.type, data: { ...data, sequence_number: at } }));
}

type OutputItem = ReturnType<typeof toItems>[number];
type NamedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

function itemEvents(item: OutputItem, output_index: number): NamedEvent[] {
  const at = { item_id: item.id, output_index };
  const done = { type: "response.output_item.done", output_index, item };
  const added = (begun: object): NamedEvent => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, ...begun, status: "in_progress" },
  });
  if (item.type === "function_call") {
    const step = "response.function_call_arguments";
    const deltas = pieces(item.arguments).map((delta) => ({ type: `${step}.delta`, ...at, delta }));
    return [added({ arguments: "" }), ...deltas, { type: `${step}.done`, ...at, arguments: item.arguments }, done];
  }
  const [part] = item.content;
  const inPart = { ...at, content_index: 0 };
  const deltas = pieces(part.text).map((delta) => ({ type: "response.output_text.delta", ...inPart, delta }));
  return [
    added({ content: [] }),
    { type: "response.content_part.added", ...inPart, part: { ...part, text: "" } },
    ...deltas,
    { type: "response.output_text.done", ...inPart, text: part.text },
    { type: "response.content_part.done", ...inPart, part },
    done,
  ];
}

const envelope = ({ id, model }: Answer) => ({ id: `resp_${id}`, object: "response", created_at: 0, model });

function toItems({ id, text, calls }: Answer) {
  const status = "completed" as const;
  const part = { type: "output_text" as const, text, annotations: [] };
  const content: [typeof part] = [part];
  const message = { type: "message" as const, id: `msg_${id}`, role: "assistant", status, content };
  const made = calls.map((call, at) => ({
    type: "function_call" as const,
    id: `fc_${id}_${at}`,
    call_id: call.id,
    ...namedCall(call.tool),
    arguments: JSON.stringify(call.input),
    status,
  }));
  return text === "" ? made : [message, ...made];
}

/** `server.tool` is a tool in a namespace. */
function namedCall(tool: string) {
  const [namespace = "", name] = tool.split(".");
  return name === undefined ? { name: namespace } : { namespace, name };
}

/** This API counts what was cached among the input. */
function toUsage({ usage }: Answer) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
}
