import * as z from "zod/mini";
import { CommentReply } from "./comments.ts";

const text = (most: number) => z.string().check(z.maxLength(most));
/**
 * Limits the length of a list. A longer list is rejected as a whole, because a part would misrepresent the agent's
 * output.
 */
const list = <T extends z.ZodMiniType>(entry: T, most: number) => z.array(entry).check(z.maxLength(most));

/** Tokens and cost of one execution. Null if the agent does not report a value. */
export const Usage = z.strictObject({
  input: z.nullable(z.number()),
  output: z.nullable(z.number()),
  usd: z.nullable(z.number()),
});
export type Usage = z.infer<typeof Usage>;

/** Activity between an agent and its model, used to monitor an execution. */
export type AgentSign =
  /** The model answered a call. */
  | { readonly is: "call" }
  /** A request was sent to the model. Its answer is not reported. */
  | { readonly is: "asked" }
  /** A tool returned a result, or a file was written. */
  | { readonly is: "work" }
  /** A call to the model service failed, and the agent retries. */
  | { readonly is: "trouble"; readonly what: string };

export const Severity = z.enum(["blocker", "warning", "note"]);

/** Fields added by a final reviewer: how the work differs from the specification, and in which requirement. */
const againstSpecification = {
  category: z.optional(z.nullable(z.enum(["missing", "extra", "misunderstood"]))),
  requirement: z.optional(z.nullable(text(200))),
};

/** Location (`file:line`) where a requirement is fulfilled. */
export const Evidence = z.strictObject({ requirement: text(200), location: text(500) });
export type Evidence = z.infer<typeof Evidence>;

export const Issue = z.strictObject({
  severity: Severity,
  description: text(4000),
  location: z.nullable(text(500)),
  ...againstSpecification,
});
export type Issue = z.infer<typeof Issue>;

export const Question = z.strictObject({
  id: text(100),
  text: text(4000),
  choices: z.array(text(500)),
});
export type Question = z.infer<typeof Question>;

/** A user's reply to a question. Null text: the user dismissed the question. */
export const Reply = z.strictObject({ id: z.string(), text: z.nullable(z.string()) });
export type Reply = z.infer<typeof Reply>;

/** Result sent by an agent at the end of a phase. Not strict, because other programs write it. */
export const AgentResult = z.object({
  status: z.enum(["done", "needs_input", "failed"]),
  summary: z._default(text(20_000), ""),
  decisions: z._default(list(text(2000), 200), []),
  artifacts: z._default(list(text(1000), 1000), []),
  questions: z._default(
    list(z.object({ id: text(100), text: text(4000), choices: z._default(list(text(500), 50), []) }), 50),
    [],
  ),
  /** One reply for each comment in the guidance. */
  replies: z.optional(z.nullable(list(z.object(CommentReply.shape), 200))),
});
export type AgentResult = z.infer<typeof AgentResult>;

/** Result sent by a reviewer. `approved` is not sufficient: a blocker prevents approval. */
export const Verdict = z.object({
  approved: z.boolean(),
  issues: z._default(
    list(
      z.object({
        severity: Severity,
        description: text(4000),
        location: z._default(z.nullable(text(500)), null),
        ...againstSpecification,
      }),
      500,
    ),
    [],
  ),
  summary: z._default(text(20_000), ""),
  evidence: z.optional(z.nullable(list(z.object(Evidence.shape), 2000))),
});
export type Verdict = z.infer<typeof Verdict>;
