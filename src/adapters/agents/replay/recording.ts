import * as z from "zod/mini";
import { ProblemError } from "../../../core/problem.ts";
import { AgentResult, Usage, Verdict } from "../../../schema/agent.ts";

/** Path relative to the working directory. `{item}` is the item's folder. */
const RecordedPath = z.string().check(z.minLength(1), z.maxLength(1000));

/** One action of an agent. Its fields are applied in this order: wait, say, write, delete. */
const Step = z.strictObject({
  /** Milliseconds to wait before the action, at normal speed. */
  after: z._default(z.number().check(z.minimum(0), z.maximum(3_600_000)), 0),
  say: z.optional(z.string()),
  write: z.optional(z.strictObject({ path: RecordedPath, contents: z.string() })),
  delete: z.optional(RecordedPath),
});

const execution = {
  phase: z.string(),
  /** Number of the attempt. Any attempt if missing. */
  attempt: z.optional(z.int().check(z.minimum(1))),
  /** Turn within the attempt, counted per role. Any turn if missing. */
  iteration: z.optional(z.int().check(z.minimum(1))),
  /** The only requested file. Any request if missing. */
  artifact: z.optional(RecordedPath),
  usage: z._default(z.nullable(Usage), null),
};

const PhaseExecution = z.strictObject({
  ...execution,
  role: z.literal("phase"),
  steps: z._default(z.array(Step), []),
  /** Null for an agent that ends without a result. */
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

/** Recorded session. If several executions fit a task, the first one is played. */
export const Recording = z.strictObject({
  recording: z.literal(1),
  executions: z.array(RecordedExecution),
});
export type Recording = z.infer<typeof Recording>;

/** @throws ProblemError if the text is not a valid recording. */
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
    return undefined; // reported by the schema
  }
}
