import * as z from "zod/mini";
import { CommentReply } from "./comments.ts";

const text = (most: number) => z.string().check(z.maxLength(most));
/** More than anybody would read is refused as a whole: a part of it would not be what the agent said. */
const list = <T extends z.ZodMiniType>(entry: T, most: number) => z.array(entry).check(z.maxLength(most));

/** Tokens and money of one execution; null where the agent does not tell. */
export const Usage = z.strictObject({
  input: z.nullable(z.number()),
  output: z.nullable(z.number()),
  usd: z.nullable(z.number()),
});
export type Usage = z.infer<typeof Usage>;

/** What happened between an agent and its model, for who watches over an execution. */
export type AgentSign =
  /** The model answered a call. */
  | { readonly is: "call" }
  /** The model is asked; whether it answers is not told. */
  | { readonly is: "asked" }
  /** A tool gave a result, or a file was written. */
  | { readonly is: "work" }
  /** A call to the model service failed, and the agent tries again. */
  | { readonly is: "trouble"; readonly what: string };

export const Severity = z.enum(["blocker", "warning", "note"]);

/** What a final reviewer adds: how the work differs from the specification, and in which requirement. */
const againstSpecification = {
  category: z.optional(z.nullable(z.enum(["missing", "extra", "misunderstood"]))),
  requirement: z.optional(z.nullable(text(200))),
};

/** Where a requirement is fulfilled: `file:line`. */
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

/** A person's reply; null text means the question was dismissed. */
export const Reply = z.strictObject({ id: z.string(), text: z.nullable(z.string()) });
export type Reply = z.infer<typeof Reply>;

/** What an agent sends us at the end of a phase. Loose: other programs write it. */
export const AgentResult = z.object({
  status: z.enum(["done", "needs_input", "failed"]),
  summary: z._default(text(20_000), ""),
  decisions: z._default(list(text(2000), 200), []),
  artifacts: z._default(list(text(1000), 1000), []),
  questions: z._default(
    list(z.object({ id: text(100), text: text(4000), choices: z._default(list(text(500), 50), []) }), 50),
    [],
  ),
  /** One for each comment that came with the guidance. */
  replies: z.optional(z.nullable(list(z.object(CommentReply.shape), 200))),
});
export type AgentResult = z.infer<typeof AgentResult>;

/** What a reviewer sends us. `approved` alone is never believed: one blocker and it is not approved. */
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
