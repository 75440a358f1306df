import * as z from "zod/mini";
import { ProblemError } from "../../core/problem.ts";
import { AgentResult, Usage, Verdict } from "../../schema/agent.ts";

/** Relative to the working directory; `{item}` stands for the item's folder. */
const RecordedPath = z.string().check(z.minLength(1), z.maxLength(1000));

/** One thing an agent did. What is given happens in this order: wait, say, write, delete. */
const Step = z.strictObject({
  /** Milliseconds to wait before, at normal speed. */
  after: z._default(z.number().check(z.minimum(0), z.maximum(3_600_000)), 0),
  say: z.optional(z.string()),
  write: z.optional(z.strictObject({ path: RecordedPath, contents: z.string() })),
  delete: z.optional(RecordedPath),
});

const execution = {
  phase: z.string(),
  /** Attempt this belongs to; any, when left out. */
  attempt: z.optional(z.int().check(z.minimum(1))),
  /** Turn within the attempt, counted per role; any, when left out. */
  iteration: z.optional(z.int().check(z.minimum(1))),
  /** The one file that is asked for; whatever is asked for, when left out. */
  artifact: z.optional(RecordedPath),
  usage: z._default(z.nullable(Usage), null),
};

const PhaseExecution = z.strictObject({
  ...execution,
  role: z.literal("phase"),
  steps: z._default(z.array(Step), []),
  /** Null plays an agent that ends without a result. */
  result: z.nullable(AgentResult),
});

const ReviewerExecution = z.strictObject({
  ...execution,
  role: z.literal("reviewer"),
  steps: z._default(z.array(z.pick(Step, { after: true, say: true })), []),
  verdict: z.nullable(Verdict),
});

const RecordedExecution = z.discriminatedUnion("role", [PhaseExecution, ReviewerExecution]);
export type RecordedExecution = z.infer<typeof RecordedExecution>;

/** A recorded session. Where several executions fit a task, the first one is played. */
export const Recording = z.strictObject({
  recording: z.literal(1),
  executions: z.array(RecordedExecution),
});
export type Recording = z.infer<typeof Recording>;

/** @throws ProblemError when the text is no recording. */
export function parseRecording(text: string): Recording {
  const parsed = z.safeParse(Recording, parsedJson(text));
  if (parsed.success) return parsed.data;
  const detail = `the recording is not valid: ${z.prettifyError(parsed.error)}`;
  throw new ProblemError({ code: "AGENT_MISSING", agent: "replay", detail });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told by the schema
  }
}
