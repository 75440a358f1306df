import * as z from "zod/mini";
import { CommentReply, ReviewComment } from "./comments.ts";

/** Request at an earlier gate of the phase, with the agent's reply to each comment. */
export const EarlierRedo = z.object({
  at: z.string(),
  by: z.string(),
  guidance: z.nullable(z.string()),
  comments: z.array(z.object({ comment: ReviewComment, reply: z.nullable(CommentReply) })),
});
