import * as z from "zod/mini";
import { CommentReply, ReviewComment } from "./comments.ts";

/** What was asked for at an earlier gate of the phase, and what the agent says it did about each comment. */
export const EarlierRedo = z.object({
  at: z.string(),
  by: z.string(),
  guidance: z.nullable(z.string()),
  comments: z.array(z.object({ comment: ReviewComment, reply: z.nullable(CommentReply) })),
});
