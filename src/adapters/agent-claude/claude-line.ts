import * as z from "zod/mini";

const Tokens = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z._default(z.number(), 0),
  cache_creation_input_tokens: z._default(z.number(), 0),
});
export type Tokens = z.infer<typeof Tokens>;

const ModelTokens = z.record(
  z.string(),
  z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadInputTokens: z._default(z.number(), 0),
    cacheCreationInputTokens: z._default(z.number(), 0),
    costUSD: z.optional(z.number()),
  }),
);
export type ModelTokens = z.infer<typeof ModelTokens>;

const Denial = z.object({ tool_name: z.string(), tool_input: z.optional(z.unknown()) });

/** Closes a turn. One process may print several; the last one counts. */
const ResultLine = z.object({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.optional(z.string()),
  errors: z.optional(z.array(z.string())),
  structured_output: z.optional(z.unknown()),
  api_error_status: z.optional(z.nullable(z.number())),
  session_id: z.string(),
  num_turns: z.optional(z.number()),
  total_cost_usd: z.optional(z.number()),
  usage: z.optional(Tokens),
  modelUsage: z.optional(ModelTokens),
  model_usage_since_last_result: z.optional(ModelTokens),
  permission_denials: z._default(z.array(Denial), []),
});
export type ResultLine = z.infer<typeof ResultLine>;

const Block = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.unknown()),
});

/** Figures that cannot be read count as not told: the rest of the line is for people to see. */
const untold = z.pipe(
  z.unknown(),
  z.transform(() => null),
);

const AssistantLine = z.object({
  type: z.literal("assistant"),
  message: z.object({
    id: z.optional(z.string()),
    content: z.array(Block),
    /** Of the one call to the model that this message came from: told again with each of its parts. */
    usage: z.optional(z.union([Tokens, untold])),
  }),
});
export type AssistantLine = z.infer<typeof AssistantLine>;

const InitLine = z.object({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });

const RetryLine = z.object({
  type: z.literal("system"),
  subtype: z.literal("api_retry"),
  attempt: z.number(),
  max_retries: z.number(),
  error_status: z.optional(z.nullable(z.number())),
});

const ClaudeLine = z.union([ResultLine, AssistantLine, InitLine, RetryLine]);
export type ClaudeLine = z.infer<typeof ClaudeLine>;

/** A line of the stream as far as we care; null for everything else, so that new kinds of lines do no harm. */
export function readClaudeLine(text: string): ClaudeLine | null {
  const line = z.safeParse(ClaudeLine, parseJson(text));
  return line.success ? line.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a warning printed between the lines
  }
}
