import * as z from "zod/mini";
import { pieces } from "./pieces.ts";
import type { Message, ModelRequest } from "./scenario.ts";
import type { Answer, ServerEvent, Wire } from "./wire.ts";

const Part = z.looseObject({
  text: z.optional(z.string()),
  thought: z.optional(z.boolean()),
  functionCall: z.optional(z.looseObject({ id: z.optional(z.string()) })),
  functionResponse: z.optional(z.looseObject({ id: z.optional(z.string()), response: z.optional(z.unknown()) })),
});
type Part = z.infer<typeof Part>;
const Parts = z._default(z.array(Part), []);
const Body = z.looseObject({
  systemInstruction: z.optional(z.looseObject({ parts: Parts })),
  contents: z.array(z.looseObject({ role: z.optional(z.string()), parts: Parts })),
  tools: z._default(
    z.array(z.looseObject({ functionDeclarations: z._default(z.array(z.looseObject({ name: z.string() })), []) })),
    [],
  ),
});

const ERROR_STATES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** The Gemini API. Its path contains the model and if the answer is streamed. */
export const geminiWire: Wire = {
  name: "gemini",
  resultTool: null,
  owns: (method, path) => method === "POST" && /:(?:streamGenerateContent|generateContent)$/.test(path),
  parse,
  callId: (key) => key,
  events,
  plain: (answer) => chunk(answer, toParts(answer), "STOP"),
  error: (code, message) => ({ error: { code, message, status: ERROR_STATES[code] ?? "INTERNAL" } }),
  side: (method, path, body) => {
    if (method !== "POST" || !path.endsWith(":countTokens")) return undefined;
    return { totalTokens: Math.ceil(JSON.stringify(body ?? "").length / 4) };
  },
};

function parse(body: unknown, path: string): ModelRequest {
  const request = z.parse(Body, body);
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? "",
    stream: path.endsWith(":streamGenerateContent"),
    system: joinText(request.systemInstruction?.parts ?? []),
    messages: request.contents.flatMap(({ role, parts }) => toMessages(role, parts)),
    tools: request.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
  };
}

/** A user content may contain call results and a prompt: these become two messages. */
function toMessages(role: string | undefined, parts: readonly Part[]): Message[] {
  const text = joinText(parts);
  if (role === "model") {
    return [{ role: "assistant", text, callIds: parts.flatMap((part) => part.functionCall?.id ?? []) }];
  }
  const results = parts.map((part) => part.functionResponse).filter((result) => result !== undefined);
  if (results.length === 0) return [{ role: "user", text, callIds: [] }];
  const answered: Message = {
    role: "tool",
    text: results.map(({ response }) => JSON.stringify(response ?? null)).join("\n"),
    callIds: results.flatMap(({ id }) => id ?? []),
  };
  return text === "" ? [answered] : [answered, { role: "user", text, callIds: [] }];
}

function joinText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("\n");
}

function events(answer: Answer): ServerEvent[] {
  const calls = toParts({ ...answer, text: "" });
  const parts: object[][] = [...pieces(answer.text).map((text) => [{ text }]), ...(calls.length === 0 ? [] : [calls])];
  return [...parts.map((some) => ({ data: chunk(answer, some) })), { data: chunk(answer, [{ text: "" }], "STOP") }];
}

function chunk(answer: Answer, parts: readonly object[], finishReason?: string): Record<string, unknown> {
  const candidate = { index: 0, content: { role: "model", parts } };
  return {
    candidates: [finishReason === undefined ? candidate : { ...candidate, finishReason }],
    modelVersion: answer.model,
    responseId: answer.id,
    usageMetadata: toUsage(answer),
  };
}

function toParts({ text, calls }: Answer): object[] {
  const made = calls.map(({ id, tool, input }) => ({ functionCall: { id, name: tool, args: input } }));
  return text === "" ? made : [{ text }, ...made];
}

/** This API includes cached tokens in the prompt tokens. */
function toUsage({ usage }: Answer) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cacheRead,
    candidatesTokenCount: usage.output,
    totalTokenCount: prompt + usage.output,
  };
}
