import * as z from "zod/mini";

/** A document in the displayed git tree. Null text: it does not exist or is not plain text. */
export const DocumentView = z.object({
  path: z.string(),
  text: z.nullable(z.string()),
  isCut: z.boolean(),
  /** How much of the document is missing in `text`. Empty if `text` is complete. */
  notShown: z.string(),
});
export type DocumentView = z.infer<typeof DocumentView>;

/** All bytes of a document or changed file, also if a page shows only a part. Null `base64`: too large to send. */
/** Version of a file after or before the change. */
export const FileSide = z.enum(["new", "old"]);
export type FileSide = z.infer<typeof FileSide>;

export const WholeFile = z.object({ path: z.string(), bytes: z.number(), base64: z.nullable(z.string()) });
export type WholeFile = z.infer<typeof WholeFile>;
