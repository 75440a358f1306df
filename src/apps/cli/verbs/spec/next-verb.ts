import { featureAt } from "../../../../adapters/spec/features.ts";
import type { EndedRun } from "../../../../core/run.ts";
import type { SpecPhase } from "../../../../core/spec/spec-phases.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import type { LocalProject } from "../../../../compose/project.ts";
import { featuresIn, findNextVerb } from "./active-feature.ts";

/**
 * Returns the next command after a run of the spec workflow. Null if its feature ended or the run was not finished,
 * and for other workflows.
 */
export function nextVerb({ root }: LocalProject, { run, how }: EndedRun): SpecPhase | null {
  if (run.workflow !== "spec" || how !== "finished") return null;
  const feature = featureAt(featuresIn(root), run.item.slice(FEATURES_ROOT.length + 1));
  if (feature?.meta.status !== "active") return null;
  return findNextVerb(feature);
}
