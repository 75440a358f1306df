import { join } from "node:path";
import { otherTrees } from "../../../adapters/git/other-trees.ts";
import { createGitRead } from "../../../adapters/git/git-read.ts";
import { mainTreeOf, resolveWorktree } from "../../../adapters/git/worktree-place.ts";
import { activeFeature, type Feature, featureAt, featureFolders } from "../../../adapters/spec/features.ts";
import { ProblemError } from "../../../core/problem.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { ask } from "../ask.ts";
import { ChoiceNeeded } from "../choice.ts";
import { openProject, type Project } from "../project.ts";
import { flag, type Invocation } from "../verb.ts";

/** A feature, and the working tree in which its documents are. */
export type PlacedFeature = { readonly project: Project; readonly feature: Feature };

const BRANCH = "feature/";

/** The feature a verb is about; null for words that name none: they are the title of a new one. */
export async function findFeature(
  invocation: Invocation,
  project: Project,
  words: string,
): Promise<PlacedFeature | null> {
  const found = words === "" ? await featureAtHand(project) : namedFeature(project, words);
  return found === null ? null : agreeOnPlace(invocation, project, found);
}

/** @throws ProblemError FEATURE_UNKNOWN */
export async function requireFeature(invocation: Invocation, project: Project, words: string): Promise<PlacedFeature> {
  const found = await findFeature(invocation, project, words);
  if (found !== null) return found;
  const valid = featureFolders(featuresIn(project.root)).map((name) => plainLine(name));
  throw new ProblemError({ code: "FEATURE_UNKNOWN", feature: plainLine(words, 80), valid });
}

/** @throws ProblemError FEATURE_ENDED */
export function refuseEnded({ feature: { folder, meta } }: PlacedFeature): void {
  if (meta.status !== "active") throw new ProblemError({ code: "FEATURE_ENDED", feature: folder, status: meta.status });
}

export const featuresIn = (root: string): string => join(root, ...FEATURES_ROOT.split("/"));

/** The branch says it; else the one worked on last, here or in another working tree. */
async function featureAtHand(project: Project): Promise<PlacedFeature | null> {
  const branch = (await createGitRead(project.root).facts())?.branch ?? "";
  const own = branch.startsWith(BRANCH) ? featureAt(featuresIn(project.root), branch.slice(BRANCH.length)) : null;
  return own === null ? lastActive(project) : { project, feature: own };
}

function lastActive(project: Project): PlacedFeature | null {
  const here = activeFeature(featuresIn(project.root));
  if (here !== null) return { project, feature: here };
  return elsewhere(project, (tree) => activeFeature(featuresIn(tree)));
}

/** `003`, `3` or the whole folder. */
function namedFeature(project: Project, words: string): PlacedFeature | null {
  const inTree = (tree: string): Feature | null => {
    const folder = featureFolders(featuresIn(tree)).find((name) => isNamedBy(name, words));
    return folder === undefined ? null : featureAt(featuresIn(tree), folder);
  };
  const here = inTree(project.root);
  if (here !== null) return { project, feature: here };
  const found = elsewhere(project, inTree);
  if (found === null && /^[0-9]+$/.test(words))
    throw new ProblemError({
      code: "FEATURE_UNKNOWN",
      feature: words,
      valid: featureFolders(featuresIn(project.root)),
    });
  return found;
}

export const isNamedBy = (folder: string, words: string): boolean => folder === words || isNumberOf(folder, words);

const isNumberOf = (folder: string, words: string): boolean =>
  /^[0-9]+$/.test(words) && Number(/^[0-9]+/.exec(folder)?.[0] ?? Number.NaN) === Number(words);

function elsewhere(project: Project, look: (tree: string) => Feature | null): PlacedFeature | null {
  for (const tree of otherTrees(project.root)) {
    const feature = look(tree);
    if (feature !== null) return { project: openProject(tree, project.env), feature };
  }
  return null;
}

/** Work goes on where the feature is: whoever stands elsewhere is told, and asked. */
async function agreeOnPlace(invocation: Invocation, here: Project, found: PlacedFeature): Promise<PlacedFeature> {
  const tree = found.project.root === here.root ? ownTree(here, found.feature) : found.project.root;
  if (tree === null || tree === here.root) return found;
  const { folder } = found.feature;
  const about = [`warning: ${folder} is worked on in ${plainLine(tree)}, and this is ${plainLine(here.root)}.`];
  const agreed = flag(invocation.values, "yes") || (await ask(invocation.io, "Go on there?", about));
  if (!agreed) throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: `--yes, or isdlc -C ${tree}`, about });
  if (!invocation.io.interactive) for (const line of about) invocation.io.err(line);
  const project = openProject(tree, here.env);
  const feature = featureAt(featuresIn(tree), folder);
  return feature === null ? found : { project, feature };
}

/** The working tree that was made for a feature; null where it is done in place. */
function ownTree({ root }: Project, { meta }: Feature): string | null {
  const main = meta.worktree === null ? null : mainTreeOf(root);
  return main === null ? null : resolveWorktree(main, meta.worktree);
}
