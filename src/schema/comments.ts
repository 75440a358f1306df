import * as z from "zod/mini";
import { PHASE_KEY } from "./ids.ts";

const text = (most: number) => z.string().check(z.maxLength(most));

/** Line of a document or a diff on which a user commented. `quote` is the text of the line at that time. */
export const CommentPlace = z.strictObject({
  path: text(1000),
  line: z.int().check(z.positive()),
  /** Side of the diff: before or after the change. */
  side: z.enum(["old", "new"]),
  quote: text(2000),
  /** Last line of a comment on several lines. */
  endLine: z.optional(z.int().check(z.positive())),
  /** Nearest lines with text before and after the place, to find it again after a change. */
  context: z.optional(z.strictObject({ before: text(500), after: text(500) })),
});
export type CommentPlace = z.infer<typeof CommentPlace>;

/** `C1`: stays the same from the comment to the agent's reply and the next gate. */
const CommentId = z.string().check(z.regex(/^C[1-9][0-9]{0,3}$/));

/** A user's request for one place, or for the work as a whole if `place` is null. Part of the guidance of a redo. */
export const ReviewComment = z.strictObject({
  id: CommentId,
  place: z.nullable(CommentPlace),
  text: text(8000),
  /** Replacement text. Null if the user suggested none. */
  suggestion: z.nullable(text(8000)),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

/** Handling of one comment, as reported by the agent. */
export const CommentReply = z.strictObject({
  id: text(20),
  did: z.enum(["applied", "kept", "answered"]),
  text: text(4000),
});
export type CommentReply = z.infer<typeof CommentReply>;

/** Text that a user wrote at a gate but did not send. Null deletes it. Only the web UI reads the text. */
export const SavedDraft = z.strictObject({
  wait: z.string().check(z.maxLength(200)),
  text: z.nullable(z.string().check(z.maxLength(500_000))),
});
export type SavedDraft = z.infer<typeof SavedDraft>;
/** Saved drafts by gate. */
export const DraftList = z.object({ drafts: z.record(z.string(), z.string()) });
export type DraftList = z.infer<typeof DraftList>;

const Phase = z.string().check(z.regex(PHASE_KEY));

/** Ids of comments marked as resolved by the user, by phase. Resolved comments are hidden at their lines. */
export const ResolvedComments = z.object({ resolved: z.record(Phase, z.array(CommentId)) });
export type ResolvedComments = z.infer<typeof ResolvedComments>;
export const ResolvedChange = z.strictObject({ phase: Phase, comment: CommentId, isResolved: z.boolean() });
export type ResolvedChange = z.infer<typeof ResolvedChange>;
