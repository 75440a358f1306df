import { featureAt } from "../../../../adapters/spec/features.ts";
import type { EndedRun } from "../../../../core/run.ts";
import type { SpecPhase } from "../../../../core/spec/spec-phases.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import type { LocalProject } from "../../../../compose/project.ts";
import { featuresIn, findNextVerb } from "./active-feature.ts";

/** The verb that follows on a run of the spec workflow; null where its feature has ended, and for other runs. */
export function nextVerb({ root }: LocalProject, { run, how }: EndedRun): SpecPhase | null {
  if (run.workflow !== "spec" || how !== "finished") return null;
  const feature = featureAt(featuresIn(root), run.item.slice(FEATURES_ROOT.length + 1));
  if (feature?.meta.status !== "active") return null;
  return findNextVerb(feature);
}
