import { join } from "node:path";
import { otherTrees } from "../../../../adapters/git/read/other-trees.ts";
import { createGitRead } from "../../../../adapters/git/read/git-read.ts";
import { mainTreeOf, resolveWorktree } from "../../../../adapters/git/worktree/worktree-location.ts";
import { SPEC_META } from "../../../../adapters/spec/spec-meta-file.ts";
import { activeFeature, type Feature, featureAt, featureFolders } from "../../../../adapters/spec/features.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import { isSafeName } from "../../../../schema/ids.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { ChoicesNeeded } from "../../../../app/choice.ts";
import { confirmChoice } from "../../terminal/confirm-choice.ts";
import { openProject, type LocalProject } from "../../../../compose/project.ts";
import type { Invocation } from "../../grammar/verb.ts";

/** A feature, and the working tree in which its documents are. */
export type PlacedFeature = { readonly project: LocalProject; readonly feature: Feature };

const BRANCH = "feature/";

/** The feature a verb is about; null for words that name none: they are the title of a new one. */
export async function findFeature(
  invocation: Invocation,
  project: LocalProject,
  words: string,
): Promise<PlacedFeature | null> {
  const found = words === "" ? await featureAtHand(project) : await namedFeature(project, words);
  return found === null ? null : agreeOnPlace(invocation, project, found);
}

/** @throws ProblemError FEATURE_UNKNOWN */
export async function requireFeature(
  invocation: Invocation,
  project: LocalProject,
  words: string,
): Promise<PlacedFeature> {
  const found = await findFeature(invocation, project, words);
  if (found !== null) return found;
  throw unknownFeature(project, words);
}

/** @throws ProblemError FEATURE_ENDED */
export function refuseEnded({ feature: { folder, meta } }: PlacedFeature): void {
  if (meta.status !== "active") throw new ProblemError({ code: "FEATURE_ENDED", feature: folder, status: meta.status });
}

export const featuresIn = (root: string): string => join(root, ...FEATURES_ROOT.split("/"));

/** The branch says it; else the one worked on last, here or, where there is none, in another working tree. */
export async function featureAtHand(project: LocalProject): Promise<PlacedFeature | null> {
  const branch = (await createGitRead(project.root).facts())?.branch ?? "";
  const own = branch.startsWith(BRANCH) ? featureAt(featuresIn(project.root), branch.slice(BRANCH.length)) : null;
  return own === null ? lastActive(project) : { project, feature: own };
}

function lastActive(project: LocalProject): PlacedFeature | null {
  const here = activeFeature(featuresIn(project.root));
  if (here !== null) return { project, feature: here };
  const [newest] = otherTrees(project.root)
    .flatMap((tree) => {
      const feature = activeFeature(featuresIn(tree));
      return feature === null ? [] : [{ tree, feature }];
    })
    .sort((one, other) => other.feature.changed - one.feature.changed);
  return newest === undefined ? null : { project: openProject(newest.tree, project.env), feature: newest.feature };
}

async function namedFeature(project: LocalProject, words: string): Promise<PlacedFeature | null> {
  for (const tree of [project.root, ...otherTrees(project.root)]) {
    const feature = namedIn(featuresIn(tree), words);
    if (feature !== null) return { project: tree === project.root ? project : openProject(tree, project.env), feature };
  }
  await refuseOutOfReach(project, words);
  return null;
}

/** By its folder or number; else the active one that was begun with these words. */
function namedIn(featuresDir: string, words: string): Feature | null {
  const folders = featureFolders(featuresDir);
  const named = folders.filter((folder) => isFolderOf(folder, words));
  const features = (named.length > 0 ? named : folders).flatMap((folder) => featureAt(featuresDir, folder) ?? []);
  if (named.length > 0) return features[0] ?? null;
  return (
    features.findLast(({ folder, meta }) => meta.status === "active" && isNamedBy(folder, meta.name, words)) ?? null
  );
}

/** Do the words name this feature: by its folder, its number, its title or its slug? */
export const isNamedBy = (folder: string, title: string, words: string): boolean =>
  isFolderOf(folder, words) || words === title || words === folder.replace(/^[0-9]+-/, "");

/** `003`, `3` or the whole folder. */
const isFolderOf = (folder: string, words: string): boolean => folder === words || isNumberOf(folder, words);

const isNumberOf = (folder: string, words: string): boolean =>
  isNumber(words) && Number(/^[0-9]+/.exec(folder)?.[0] ?? Number.NaN) === Number(words);

const isNumber = (words: string): boolean => /^[0-9]+$/.test(words);

/**
 * A number is no title of a new feature, and neither is the folder of one that cannot be worked on from here.
 * @throws ProblemError FEATURE_UNKNOWN
 */
async function refuseOutOfReach(project: LocalProject, words: string): Promise<void> {
  if (!/^[0-9]+(?:-|$)/.test(words)) return;
  const git = createGitRead(project.root);
  const known = await git.itemNames(FEATURES_ROOT);
  const named = [...new Set([...known, words])].filter((folder) => isSafeName(folder) && isFolderOf(folder, words));
  const branches = await Promise.all(named.map((folder) => git.branchExists(`${BRANCH}${folder}`)));
  const here = featureFolders(featuresIn(project.root));
  const ways = named
    .filter((folder, at) => branches[at] === true && !here.includes(folder))
    .map((folder) => `${folder} (git switch ${BRANCH}${folder})`);
  const isKnown = ways.length > 0 || known.some((folder) => isFolderOf(folder, words));
  if (isKnown || isNumber(words)) throw unknownFeature(project, words, ways);
}

/** Those on other branches come first: one of them is meant. */
function unknownFeature(project: LocalProject, words: string, onBranches: readonly string[] = []): ProblemError {
  const dir = featuresIn(project.root);
  const here = featureFolders(dir).map((folder) => {
    const name = plainLine(folder);
    return featureAt(dir, folder) === null ? `${name} (its ${SPEC_META} is missing or damaged: mend it first)` : name;
  });
  return new ProblemError({
    code: "FEATURE_UNKNOWN",
    feature: plainLine(words, 80),
    valid: [...onBranches, ...here],
  });
}

/** Work goes on where the feature is: whoever stands elsewhere is told, and asked. */
async function agreeOnPlace(invocation: Invocation, here: LocalProject, found: PlacedFeature): Promise<PlacedFeature> {
  const tree = found.project.root === here.root ? ownTree(here, found.feature) : found.project.root;
  if (tree === null || tree === here.root) return found;
  const { folder } = found.feature;
  const about = [`warning: ${folder} is worked on in ${plainLine(tree)}, and this is ${plainLine(here.root)}.`];
  const choice = { id: "place", kind: "confirm", options: ["yes"], about, path: tree } as const;
  const open = await confirmChoice(invocation, choice);
  if (open.length > 0) throw new ChoicesNeeded(open); // what else there is to choose depends on the place
  if (!invocation.io.interactive) for (const line of about) invocation.io.err(line);
  const project = openProject(tree, here.env);
  const feature = featureAt(featuresIn(tree), folder);
  return feature === null ? found : { project, feature };
}

/** The working tree that was made for a feature; null where it is done in place. */
function ownTree({ root }: LocalProject, { meta }: Feature): string | null {
  const main = meta.worktree === null ? null : mainTreeOf(root);
  return main === null ? null : resolveWorktree(main, meta.worktree);
}
