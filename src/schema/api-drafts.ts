import * as z from "zod/mini";

/** Text that a user wrote at a gate but did not send. Null deletes it. Only the web UI reads the text. */
export const SavedDraft = z.strictObject({
  wait: z.string().check(z.maxLength(200)),
  text: z.nullable(z.string().check(z.maxLength(500_000))),
});
export type SavedDraft = z.infer<typeof SavedDraft>;
/** Saved drafts by gate. */
export const DraftList = z.object({ drafts: z.record(z.string(), z.string()) });
export type DraftList = z.infer<typeof DraftList>;
