import { toTexts } from "./analysis-status.ts";
import { checkStaleness, type Staleness, citedFiles } from "./staleness.ts";

export type BlastRadiusStaleness = Staleness & {
  /**
   * `none`: continue silently. `info`: show it and continue. `warning`: ask. `fallback`: ask, because only the hashes
   * are known.
   */
  readonly severity: "none" | "info" | "warning" | "fallback";
  readonly overlappingFiles: string[];
  readonly changedFileCount: number;
  readonly blastRadiusFileCount: number;
  readonly fallbackReason: "no-impact-analysis" | "no-parseable-table" | "git-diff-failed" | null;
};

/** Minimum number of changed files in the analysed area for a warning. */
const WARNING_FROM = 4;

/**
 * Checks if files cited in the analysis changed since. Commits without changed files do not make it stale.
 * `changedFiles` is a list, or any other value if git failed.
 */
// oxlint-disable-next-line max-params -- the published signature
export function checkBlastRadiusStaleness(
  meta: unknown,
  currentHash: unknown,
  impactMarkdown: unknown,
  changedFiles: unknown,
): BlastRadiusStaleness {
  const plain = checkStaleness(meta, currentHash);
  const nothing = { overlappingFiles: [], changedFileCount: 0, blastRadiusFileCount: 0, fallbackReason: null };
  if (!plain.stale) return { ...plain, ...nothing, severity: "none" };
  if (Array.isArray(changedFiles) && changedFiles.length === 0)
    return { ...plain, ...nothing, stale: false, severity: "none" };
  const fallback = (fallbackReason: NonNullable<BlastRadiusStaleness["fallbackReason"]>): BlastRadiusStaleness => ({
    ...plain,
    ...nothing,
    severity: "fallback",
    fallbackReason,
  });
  if (typeof impactMarkdown !== "string" || impactMarkdown.trim() === "") return fallback("no-impact-analysis");
  const cited = citedFiles(impactMarkdown);
  if (cited.length === 0) return fallback("no-parseable-table");
  if (!Array.isArray(changedFiles)) return fallback("git-diff-failed");
  const changed = toTexts(changedFiles);
  const overlapping = overlap(changed, cited);
  return {
    ...plain,
    stale: overlapping.length > 0,
    severity: toSeverity(overlapping.length),
    overlappingFiles: overlapping,
    changedFileCount: changed.length,
    blastRadiusFileCount: cited.length,
    fallbackReason: null,
  };
}

function toSeverity(overlaps: number): "none" | "info" | "warning" {
  if (overlaps === 0) return "none";
  return overlaps < WARNING_FROM ? "info" : "warning";
}

/** A cited folder includes every file under it. */
function overlap(changed: readonly string[], cited: readonly string[]): string[] {
  const files = new Set(cited);
  const folders = cited.filter((path) => path.endsWith("/"));
  return changed.filter((path) => files.has(path) || folders.some((folder) => path.startsWith(folder)));
}
