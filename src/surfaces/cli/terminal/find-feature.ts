import { otherTrees } from "../../../adapters/git/process/working-trees.ts";
import { findMainTree, resolveWorktree } from "../../../adapters/git/worktree/worktree-location.ts";
import { SPEC_META } from "../../../adapters/project-files/spec-meta-file.ts";
import { type Feature, featureAt, featureFolders } from "../../../adapters/project-files/features.ts";
import { ProblemError } from "../../../core/problem.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import { isSafeName } from "../../../schema/ids.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { flag, type Invocation } from "../invocation/verb.ts";
import { askChoice } from "./ask-choice.ts";
import { featuresIn, lastActiveFeature } from "./active-feature.ts";
import { shellWord } from "../../../core/command-line.ts";

/** A feature, and the project of the working tree to work in. */
export type PlacedFeature = {
  readonly project: LocalProject;
  readonly feature: Feature;
  /** True if the user works outside of the feature's own worktree, which has its branch checked out. */
  readonly isAside?: boolean;
};

const BRANCH = "feature/";

/** Finds the feature of a command. Null if the words name none: they are the title of a new one. */
// oxlint-disable-next-line max-params -- who is meant without words differs at the end
export async function findFeature(
  invocation: Invocation,
  project: LocalProject,
  words: string,
  unnamed: (project: LocalProject) => Promise<PlacedFeature | null> = featureAtHand,
): Promise<PlacedFeature | null> {
  const found = words === "" ? await unnamed(project) : await namedFeature(project, words);
  return found === null ? null : agreeOnPlace(invocation, project, found);
}

/** @throws ProblemError FEATURE_UNKNOWN */
// oxlint-disable-next-line max-params -- as above
export async function requireFeature(
  invocation: Invocation,
  project: LocalProject,
  words: string,
  unnamed = featureAtHand,
): Promise<PlacedFeature> {
  const found = await findFeature(invocation, project, words, unnamed);
  if (found !== null) return found;
  throw unknownFeature(project, words);
}

/** @throws ProblemError FEATURE_ENDED, FEATURE_STATUS_UNKNOWN */
export function refuseEnded({ feature: { folder, meta } }: PlacedFeature): void {
  const { status } = meta;
  if (status === "active" || status === "planned") return;
  if (status !== "unknown") throw new ProblemError({ code: "FEATURE_ENDED", feature: folder, status });
  const file = `${FEATURES_ROOT}/${folder}/${SPEC_META}`;
  throw new ProblemError({ code: "FEATURE_STATUS_UNKNOWN", feature: folder, file });
}

/** Returns the feature of the current branch if it is active, otherwise the latest active one in the repository. */
export async function featureAtHand(project: LocalProject): Promise<PlacedFeature | null> {
  const own = await featureOfBranch(project);
  if (own?.meta.status === "active") return { project, feature: own };
  const found = await lastActiveFeature(project);
  if (found === null) return own === null ? null : { project, feature: own };
  const { tree, feature } = found;
  return { project: tree === project.root ? project : openProject(tree, project.env), feature };
}

async function featureOfBranch({ root, vcs }: LocalProject): Promise<Feature | null> {
  const branch = (await vcs.facts())?.branch ?? "";
  return branch.startsWith(BRANCH) ? featureAt(featuresIn(root), branch.slice(BRANCH.length)) : null;
}

/** Returns the feature to finish: the one of the current branch, even if it ended, otherwise the current feature. */
export async function featureToFinish(project: LocalProject): Promise<PlacedFeature | null> {
  const own = await featureOfBranch(project);
  return own === null ? featureAtHand(project) : { project, feature: own };
}

async function namedFeature(project: LocalProject, words: string): Promise<PlacedFeature | null> {
  for (const tree of [project.root, ...otherTrees(project.root)]) {
    const feature = namedIn(featuresIn(tree), words);
    if (feature !== null) return { project: tree === project.root ? project : openProject(tree, project.env), feature };
  }
  await refuseOutOfReach(project, words);
  return null;
}

/** Finds a feature by its folder or number, otherwise an active one by its title or slug. */
function namedIn(featuresDir: string, words: string): Feature | null {
  const folders = featureFolders(featuresDir);
  const named = folders.filter((folder) => isFeatureFolder(folder, words));
  const features = (named.length > 0 ? named : folders).flatMap((folder) => featureAt(featuresDir, folder) ?? []);
  if (named.length > 0) return features[0] ?? null;
  return (
    features.findLast(({ folder, meta }) => meta.status === "active" && isNamedBy(folder, meta.name, words)) ?? null
  );
}

/** True if the words are the folder, number, title or slug of the feature. */
export const isNamedBy = (folder: string, title: string, words: string): boolean =>
  isFeatureFolder(folder, words) || words === title || words === folder.replace(/^[0-9]+-/, "");

/** Accepts `003`, `3` or the whole folder. */
const isFeatureFolder = (folder: string, words: string): boolean => folder === words || isFeatureNumber(folder, words);

const isFeatureNumber = (folder: string, words: string): boolean =>
  isNumber(words) && Number(/^[0-9]+/.exec(folder)?.[0] ?? Number.NaN) === Number(words);

const isNumber = (words: string): boolean => /^[0-9]+$/.test(words);

/**
 * Refuses a number, and the folder of a feature that is not available here, as the title of a new feature.
 * @throws ProblemError FEATURE_UNKNOWN
 */
async function refuseOutOfReach(project: LocalProject, words: string): Promise<void> {
  if (!/^[0-9]+(?:-|$)/.test(words)) return;
  const git = project.vcs;
  const known = await git.itemNames(FEATURES_ROOT);
  const named = [...new Set([...known, words])].filter(
    (folder) => isSafeName(folder) && isFeatureFolder(folder, words),
  );
  const branches = await Promise.all(named.map((folder) => git.branchExists(`${BRANCH}${folder}`)));
  const here = featureFolders(featuresIn(project.root));
  const ways = named
    .filter((folder, at) => branches[at] === true && !here.includes(folder))
    .map((folder) => `${folder} (git switch ${BRANCH}${folder})`);
  const isKnown = ways.length > 0 || known.some((folder) => isFeatureFolder(folder, words));
  if (isKnown || isNumber(words)) throw unknownFeature(project, words, ways);
}

/** Lists features on other branches first, because the user means one of them. */
function unknownFeature(project: LocalProject, words: string, onBranches: readonly string[] = []): ProblemError {
  const dir = featuresIn(project.root);
  const here = featureFolders(dir).map((folder) => {
    const name = plainLine(folder);
    return featureAt(dir, folder) === null ? `${name} (its ${SPEC_META} is missing or damaged: fix it first)` : name;
  });
  return new ProblemError({
    code: "FEATURE_UNKNOWN",
    feature: plainLine(words, 80),
    valid: [...onBranches, ...here],
  });
}

/** Warns if the feature's worktree is another one, and lets the user choose where to work. */
async function agreeOnPlace(invocation: Invocation, here: LocalProject, found: PlacedFeature): Promise<PlacedFeature> {
  const tree = found.project.root === here.root ? ownTree(here, found.feature) : found.project.root;
  if (tree === null || tree === here.root) return found;
  const { folder } = found.feature;
  const about = [`warning: ${folder} is worked on in ${plainLine(tree)}, and this is ${plainLine(here.root)}.`];
  const isHere = found.project.root === here.root;
  const options = isHere ? ["there", "here"] : ["there"];
  const place = await choosePlace(invocation, { id: "place", kind: "place", options, about, path: tree });
  if (!invocation.io.interactive) for (const line of about) invocation.io.err(line);
  if (place === "here") return { ...found, isAside: true };
  const project = openProject(tree, here.env);
  const feature = featureAt(featuresIn(tree), folder);
  return feature === null ? found : { project, feature };
}

/** @throws ChoicesNeeded if the user stops or no user can be asked: further choices depend on this one. */
async function choosePlace({ values, io }: Invocation, choice: Choice): Promise<string> {
  if (flag(values, "here")) {
    if (choice.options.includes("here")) return "here";
    const detail = "The feature's documents are not in this working tree, so it cannot be worked on here.";
    throw new ProblemError({ code: "USAGE", detail, usage: `isdlc -C ${shellWord(choice.path ?? "")} <command>` });
  }
  if (flag(values, "yes")) return "there";
  const said = io.interactive ? await askChoice(io, choice) : null;
  if (said === null || !choice.options.includes(said)) throw new ChoicesNeeded([choice]);
  return said;
}

/** Returns the worktree created for a feature; null if the work is done in place. */
function ownTree({ root }: LocalProject, { meta }: Feature): string | null {
  const main = meta.worktree === null ? null : findMainTree(root);
  return main === null ? null : resolveWorktree(main, meta.worktree);
}
