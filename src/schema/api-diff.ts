import * as z from "zod/mini";

/** Groups in review order. `folded`: files that start closed and count as not viewed until they were opened. */
export const ReviewGroup = z.enum(["contracts", "code", "settings", "examples", "tests", "documents", "folded"]);

/** Heading of a group, with the reading in it. */
export const DiffGroup = z.object({
  group: ReviewGroup,
  title: z.string(),
  why: z.string(),
  files: z.number(),
  lines: z.number(),
  minutes: z.number(),
});

/** One changed file and its part of the patch. The browser lays it out. */
export const DiffFile = z.object({
  path: z.string(),
  was: z.nullable(z.string()),
  change: z.enum(["added", "modified", "deleted", "renamed", "typechange"]),
  added: z.number(),
  removed: z.number(),
  isBinary: z.boolean(),
  /** True if the patch was truncated because of its length. */
  isCut: z.boolean(),
  /** How much of the change is missing in `patch`, and why. Empty if `patch` is complete. */
  notShown: z.string(),
  /** Changes other than lines: modes, links, submodules, line endings. */
  facts: z.array(z.string()),
  isDocument: z.boolean(),
  /** True for files written by isdlc itself. */
  isBookkeeping: z.boolean(),
  /** Group in the review order. */
  group: ReviewGroup,
  /** Fact that put the file into its place. */
  reason: z.string(),
  /** Facts to know while reading the file, one sentence each. */
  marks: z.array(z.string()),
  /** Lines to read: none in a folded file. */
  toRead: z.number(),
  /** Digest of the path, and of mode and content before and after. If it changes, the file must be viewed again. */
  digest: z.string(),
  patch: z.string(),
});
export type DiffFile = z.infer<typeof DiffFile>;

/**
 * `base`: changes since the start of the run. `seen`: changes since the last review in this run. `phase`: changes since
 * the start of the current phase.
 */
export const DiffAgainst = z.enum(["base", "seen", "phase"]);
export type DiffAgainst = z.infer<typeof DiffAgainst>;
export const DiffView = z.object({
  against: DiffAgainst,
  /** In review order. */
  files: z.array(DiffFile),
  /** Groups with files, in review order. Files written by isdlc are not counted. */
  groups: z.array(DiffGroup),
  /** Indexes into `files`, sorted as a tree of folders and by path. */
  orders: z.object({ tree: z.array(z.number()), name: z.array(z.number()) }),
  isCut: z.boolean(),
  /** How much of the change is in no file of the list. Empty if the list is complete. */
  notShown: z.string(),
});
export type DiffView = z.infer<typeof DiffView>;
