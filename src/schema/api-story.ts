import * as z from "zod/mini";
import { PhaseKey } from "./plan.ts";

/** One event of the journal, described in a sentence. */
export const StoryEntry = z.object({
  seq: z.number(),
  at: z.string(),
  type: z.string(),
  phase: z.nullable(PhaseKey),
  text: z.string(),
  by: z.nullable(z.object({ name: z.string(), channel: z.string(), suspicious: z.nullable(z.string()) })),
});
export type StoryEntry = z.infer<typeof StoryEntry>;
/** `next`: first sequence number of the next request. Null on the last page. */
export const Story = z.object({ entries: z.array(StoryEntry), next: z.nullable(z.number()) });
export type Story = z.infer<typeof Story>;
