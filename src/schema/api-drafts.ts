import * as z from "zod/mini";

/** What a user wrote at a gate and did not send; null text removes it. The page alone reads the text. */
export const SavedDraft = z.strictObject({
  wait: z.string().check(z.maxLength(200)),
  text: z.nullable(z.string().check(z.maxLength(500_000))),
});
export type SavedDraft = z.infer<typeof SavedDraft>;
/** By gate. */
export const DraftList = z.object({ drafts: z.record(z.string(), z.string()) });
export type DraftList = z.infer<typeof DraftList>;
