import * as z from "zod/mini";
import { RunId } from "./plan.ts";

/** Content of an exported run. Lists every file of the archive except the manifest itself. */
export const ExportManifest = z.object({
  format: z.literal("isdlc-export"),
  version: z.literal(1),
  run: RunId,
  journal: z.object({ seq: z.int(), hash: z.string() }),
  files: z.array(z.object({ name: z.string(), sha256: z.string(), bytes: z.int() })),
});
export type ExportManifest = z.infer<typeof ExportManifest>;

/** Files with fixed names. Documents and diffs are in folders. */
export const EXPORT_FILES = {
  manifest: "manifest.json",
  journal: "journal.jsonl",
  reviews: "reviews.json",
  statements: "statements.jsonl",
  report: "report.html",
} as const;
