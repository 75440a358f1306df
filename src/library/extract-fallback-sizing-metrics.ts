import { isAbsolute, relative } from "node:path";
import { parseFallbackMetrics } from "../core/sizing.ts";
import type { SizingMetrics } from "../schema/facts.ts";
import { projectFiles } from "../adapters/checks/detectors/project-files.ts";

export type FallbackSizing = {
  readonly metrics: SizingMetrics | null;
  readonly source: "quick-scan" | "requirements-spec" | null;
};

const DOCUMENTS = ["quick-scan", "requirements-spec"] as const;
const ITEMS = "docs/requirements";

/**
 * Returns approximate metrics for an item whose impact analysis has none. The folder is an item's name or a path
 * inside the project. Files that are outside the project, too large or not plain files count as missing.
 */
export function extractFallbackSizingMetrics(artifactFolder: unknown, projectRoot: unknown): FallbackSizing {
  const nothing: FallbackSizing = { metrics: null, source: null };
  if (typeof artifactFolder !== "string" || typeof projectRoot !== "string" || artifactFolder === "") return nothing;
  try {
    const files = projectFiles(projectRoot);
    const folder = isAbsolute(artifactFolder) ? relative(projectRoot, artifactFolder) : artifactFolder;
    for (const source of DOCUMENTS) {
      const text = files.text(`${folder}/${source}.md`) ?? files.text(`${ITEMS}/${folder}/${source}.md`);
      const metrics = parseFallbackMetrics(text);
      if (metrics !== null) return { metrics, source };
    }
    return nothing;
  } catch {
    return nothing; // the project does not exist
  }
}
