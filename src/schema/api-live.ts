import * as z from "zod/mini";
import { RunId } from "./plan.ts";
import { ExecutionId } from "./recorded-ids.ts";

/** Messages pushed by the server, one JSON object each. */
export const LiveMessage = z.discriminatedUnion("is", [
  z.object({ is: z.literal("hello"), version: z.string() }),
  z.object({ is: z.literal("changed"), run: RunId, seq: z.number() }),
  /** Output lines of an agent. Not part of the journal; lost without a listener. */
  z.object({ is: z.literal("activity"), run: RunId, execution: ExecutionId, lines: z.array(z.string()) }),
  z.object({ is: z.literal("waiting"), count: z.number() }),
]);
export type LiveMessage = z.infer<typeof LiveMessage>;

export const ActivityView = z.object({
  executions: z.array(z.object({ name: z.string(), lines: z.array(z.string()), isCut: z.boolean() })),
});
export type ActivityView = z.infer<typeof ActivityView>;
