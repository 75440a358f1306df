import * as z from "zod/mini";

const text = (most: number) => z.string().check(z.maxLength(most));

/** A line of a document or of a diff that a person commented on; `quote` is how it read. */
export const CommentPlace = z.strictObject({
  path: text(1000),
  line: z.int().check(z.positive()),
  /** Which side of the diff: how it was, or how it is now. */
  side: z.enum(["old", "new"]),
  quote: text(2000),
});
export type CommentPlace = z.infer<typeof CommentPlace>;

/** `C1`: kept from the comment to the agent's reply and the next gate. */
const CommentId = z.string().check(z.regex(/^C[1-9][0-9]{0,3}$/));

/** What a person wants of one place, or of the whole where there is none. Part of the guidance of a redo. */
export const ReviewComment = z.strictObject({
  id: CommentId,
  place: z.nullable(CommentPlace),
  text: text(8000),
  /** What should stand there instead; null where the person did not say. */
  suggestion: z.nullable(text(8000)),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

/** What the agent says it did about one comment. */
export const CommentReply = z.strictObject({
  id: text(20),
  did: z.enum(["applied", "kept", "answered"]),
  text: text(4000),
});
export type CommentReply = z.infer<typeof CommentReply>;
