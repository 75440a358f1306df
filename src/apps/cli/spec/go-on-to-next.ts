import { featureAt } from "../../../adapters/spec/features.ts";
import { nextPhase } from "../../../views/spec/session-context.ts";
import { goOn } from "../driving.ts";
import type { Project } from "../project.ts";
import type { Invocation, Result } from "../verb.ts";
import { featuresIn } from "./find-feature.ts";

/** Goes on with a phase of a feature; when it is done, says which verb comes next. */
export async function goOnToNext(invocation: Invocation, project: Project, folder: string): Promise<Result> {
  const result = await goOn(invocation, project);
  const feature = featureAt(featuresIn(project.root), folder);
  if (result.code !== 0 || feature === null || feature.meta.status !== "active") return result;
  const { files, meta } = feature;
  const isImplemented = (meta.phases["implement"]?.completed ?? null) !== null;
  const verb = nextPhase({ files, mode: meta.mode, isImplemented });
  return { ...result, lines: [...result.lines, `Next: isdlc ${verb}`], json: { ...result.json, next: verb } };
}
