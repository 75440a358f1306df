import { join } from "node:path";
import { foldersOnFeatureBranches } from "../../../adapters/git/read/branch-features.ts";
import { otherTrees } from "../../../adapters/git/process/working-trees.ts";
import { nodeFiles } from "../../../adapters/files/file-system.ts";
import { createStateFile } from "../../../adapters/files/state-file.ts";
import { activeFeature, type Feature, featureFolders, featureAt } from "../../../adapters/project-files/features.ts";
import { SPEC_META } from "../../../adapters/project-files/spec-meta-file.ts";
import { parseEarlierState } from "../../../core/items/earlier-state.ts";
import { OWN, ownPath } from "../../../core/own-folder.ts";
import { specMetaFrom } from "../../../core/spec/spec-meta.ts";
import { SPEC_FILES, type SpecPhase } from "../../../core/spec/spec-phases.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { nextPhase } from "../../../views/spec/session-context.ts";
import { shellWord } from "../../../core/command-line.ts";
import { earlierWorkflow } from "../../../views/open-run.ts";
import type { EndedRun } from "../../../core/run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { sameAgent } from "../../../app/agents/agent-choice.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { RunRequest } from "../../../app/start/run-request.ts";
import type { PlacedFeature } from "./find-feature.ts";

/** An active feature, and the working tree that contains its documents. */
export type FeatureAnywhere = {
  readonly tree: string;
  readonly feature: Feature;
  /** Branch with the documents, if no working tree contains them. `tree` is then the caller's. */
  readonly branch: string | null;
};

type FeatureSearch = { readonly root: string; readonly env: NodeJS.ProcessEnv };

export const featuresIn = (root: string): string => join(root, ...FEATURES_ROOT.split("/"));

/**
 * Finds the latest active feature: in this working tree, otherwise in another one, otherwise on a branch without one.
 */
export async function lastActiveFeature({ root, env }: FeatureSearch): Promise<FeatureAnywhere | null> {
  const here = activeFeature(featuresIn(root));
  if (here !== null) return { tree: root, feature: here, branch: null };
  const [newest] = otherTrees(root)
    .flatMap((tree) => {
      const feature = activeFeature(featuresIn(tree));
      return feature === null ? [] : [{ tree, feature }];
    })
    .sort((one, other) => other.feature.changed - one.feature.changed);
  return newest === undefined ? onBranch({ root, env }) : { ...newest, branch: null };
}

async function onBranch({ root, env }: FeatureSearch): Promise<FeatureAnywhere | null> {
  const onDisk = new Set([root, ...otherTrees(root)].flatMap((tree) => featureFolders(featuresIn(tree))));
  const wanted = { root: FEATURES_ROOT, file: SPEC_META };
  for (const { folder, text, names } of await foldersOnFeatureBranches(root, wanted, env)) {
    const meta = specMetaFrom(parsed(text));
    if (onDisk.has(folder) || meta?.status !== "active") continue; // documents in a working tree are newer
    const files = SPEC_FILES.map(([, file]) => file).filter((file) => names.includes(file));
    const feature = { folder, dir: join(featuresIn(root), folder), meta, files };
    return { tree: root, feature, branch: `feature/${folder}` };
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Returns the command that continues a feature. */
export function findNextVerb({ files, meta }: Feature): SpecPhase {
  return nextPhase({ files, mode: meta.mode, currentPhase: meta.currentPhase });
}

/** Names the active feature with its next command, and an unfinished workflow of an earlier framework, if any. */
export async function openWorkLines(project: FeatureSearch): Promise<string[]> {
  const state = createStateFile(join(project.root, ownPath(OWN.state)), nodeFiles).read();
  const earlier = parseEarlierState(state)?.open ?? null;
  return [...(await activeFeatureLines(project)), ...(earlier === null ? [] : [earlierWorkflow(earlier)])];
}

async function activeFeatureLines(project: FeatureSearch): Promise<string[]> {
  const found = await lastActiveFeature(project);
  if (found === null) return [];
  const { feature, tree, branch } = found;
  const where = tree === project.root ? "" : ` -C ${shellWord(tree)}`;
  const on = branch === null ? "" : ` on ${plainLine(branch, 80)}`;
  return [
    `Active feature: ${plainLine(feature.folder, 60)} (${feature.meta.mode})${on}`,
    `Next: isdlc${where} ${findNextVerb(feature)}`,
  ];
}

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

/**
 * Adds the agents of the feature's last run, if neither this command nor a setting names one. Otherwise a feature
 * started with `--agent-command` would continue with an agent found on PATH.
 */
export async function withRememberedAgents(
  request: RunRequest,
  { project, feature }: PlacedFeature,
): Promise<RunRequest> {
  const { wishes } = request;
  const named = Object.keys(project.settings.read().settings).some((key) =>
    /^(?:agent|reviewer)(?!-variables)/.test(key),
  );
  const { state } = await currentRun(project);
  const isOfFeature = state.is === "ended" && state.run.item === `${FEATURES_ROOT}/${feature.folder}`;
  const before = isOfFeature ? project.trust.agents(state.run.run) : null;
  if (named || before === null || (wishes.agent ?? wishes.reviewer ?? null) !== null) return request;
  const reviewer = sameAgent(before.reviewer, before.phase) ? null : before.reviewer;
  return { ...request, wishes: { ...wishes, agent: before.phase, reviewer } };
}
