import { createGitRead } from "../../../adapters/git/read/git-read.ts";
import { createGitWrite } from "../../../adapters/git/write/git-write.ts";
import { createGitWorkspace } from "../../../adapters/git/snapshot/git-workspace.ts";
import { otherTrees } from "../../../adapters/git/read/other-trees.ts";
import { deleteContained } from "../../../adapters/plain-workspace/contained-file.ts";
import { featureFolders } from "../../../adapters/spec/features.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type ActiveRun, currentPhase } from "../../../core/run.ts";
import { featureFolder } from "../../../core/spec/feature-name.ts";
import { isSpecPhase, type SpecPhase } from "../../../core/spec/spec-phases.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import type { Mode, PhaseRule } from "../../../schema/plan.ts";
import { initiatorOf, personOf } from "../main/caller.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import {
  featuresIn,
  findFeature,
  isNamedBy,
  type PlacedFeature,
  refuseEnded,
  requireFeature,
} from "../spec/find-feature.ts";
import { chooseBegun, documentOf, resolveBegun, resolveTransition } from "../spec/resolve-phase.ts";
import { resolveWorktree } from "../spec/resolve-worktree.ts";
import { type FeatureBranch, resolveBeforehand, startRun } from "../start.ts";
import { record } from "../../../app/answer/record.ts";
import { type Invocation, type Result, type Run, text } from "../grammar/verb.ts";
import { namesCommits } from "./names-commits.ts";
import { recover } from "./begin.ts";
import { verifyCommits } from "./verify-commits.ts";

/** One phase of the spec workflow, for the feature at hand, a named one or a new one. */
export const specPhase: Run = async (invocation) => {
  const here = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, here);
  const target = invocation.verb.name as SpecPhase; // the verbs of this function are named after the phases
  const open = await currentRun(here);
  const words = invocation.words.join(" ").trim();
  if (open.state.is === "active") return goOnWith(invocation, here, { run: open.state, target, words });
  const found =
    NEEDS_A_FEATURE.has(target) || words === ""
      ? await requireFeature(invocation, here, words)
      : await findFeature(invocation, here, words);
  return found === null ? beginFeature(invocation, here, { target, title: words }) : workOn(invocation, found, target);
};

/** Nothing is verified of what was never begun. */
const NEEDS_A_FEATURE: ReadonlySet<SpecPhase> = new Set<SpecPhase>(["verify", "finish"]);

type Open = { readonly run: ActiveRun; readonly target: SpecPhase; readonly words: string };

/** A run that was interrupted in this very phase is the phase begun and not finished; any other one comes first. */
async function goOnWith(invocation: Invocation, project: LocalProject, { run, target, words }: Open): Promise<Result> {
  const isThisPhase = run.run.workflow === "spec" && currentPhase(run)?.rule.key === target && isAbout(run, words);
  if (run.wait !== null || !isThisPhase) return recover(invocation, project);
  const document = documentOf(target);
  const artifact = (): string | null =>
    document === null ? null : project.projections.readArtifact(`${run.run.item}/${document}`);
  if ((await chooseBegun(invocation, target, artifact)) === "fresh") {
    const by = await personOf(invocation, project);
    await record(project, run.run.run, { do: "back", to: target, tree: "restore", by });
  }
  return continueRun(invocation, project);
}

/** No words mean the work at hand; else they name its feature, or are what it was begun with. */
function isAbout({ run }: ActiveRun, words: string): boolean {
  const folder = run.item.slice(FEATURES_ROOT.length + 1);
  return words === "" || isNamedBy(folder, run.title, words);
}

type New = { readonly target: SpecPhase; readonly title: string };

async function beginFeature(invocation: Invocation, here: LocalProject, { target, title }: New): Promise<Result> {
  const mode = (text(invocation.values, "mode") ?? "standard") as Mode; // the catalog allows no other value
  const warnings = await resolveTransition(invocation, { feature: null, target, mode });
  const git = createGitRead(here.root);
  const facts = await git.facts();
  const unfinished = otherTrees(here.root).flatMap((tree) => featureFolders(featuresIn(tree)));
  const folders = [
    ...here.projections.itemNames(FEATURES_ROOT),
    ...(await git.itemNames(FEATURES_ROOT)),
    ...unfinished,
  ];
  const folder = featureFolder(folders, title);
  const base = facts?.branch ?? facts?.head ?? null;
  const branch = `feature/${folder}`;
  const work = { workflow: "spec", title, place: { folder, phases: [target], analysed: [], record: {} } };
  const plain = { mode, branch: null, worktree: null, warnings: [], adapt: (plan: PhaseRule[]) => plan };
  const resolveFirst = () => resolveBeforehand(invocation, here, { ...work, feature: plain });
  const { project, worktree } = await resolveWorktree(invocation, here, { mode, branch, folder, base, resolveFirst });
  const made: FeatureBranch | null =
    worktree === null || facts === null || facts.head === null
      ? null
      : { branch, base: facts.branch, commit: facts.head };
  const told = [...warnings, ...onto(facts?.branch)];
  await startRun(invocation, project, { ...work, feature: { ...plain, branch: made, worktree, warnings: told } });
  return continueRun(invocation, project);
}

/** A feature that is begun on another one's branch is merged into that. */
const onto = (branch: string | null | undefined): string[] =>
  branch?.startsWith("feature/") ? [`This feature begins on ${branch}, and will be merged into it.`] : [];

/** The next piece of work on a feature that exists. */
export async function workOn(invocation: Invocation, found: PlacedFeature, target: SpecPhase): Promise<Result> {
  refuseEnded(found);
  const { project, feature } = found;
  const { mode, name, worktree } = feature.meta;
  const inTree = await currentRun(project);
  if (inTree.state.is === "active")
    return goOnWith(invocation, project, { run: inTree.state, target, words: feature.folder });
  const wished = text(invocation.values, "mode") ?? mode;
  const kept = wished === mode ? [] : [`${feature.folder} was begun in mode ${mode}, and stays in it.`];
  const warnings = [...kept, ...(await resolveTransition(invocation, { feature, target, mode }))];
  const begun = await resolveBegun(invocation, { feature, target, mode }, project.projections);
  if (begun === "fresh") await putAside(invocation, found, target);
  await startRun(invocation, project, {
    workflow: "spec",
    title: name === "" ? feature.folder : name,
    place: { folder: feature.folder, phases: [target], analysed: [], record: {} },
    feature: { mode, branch: await branchOf(found), worktree, warnings, adapt: (plan) => plan },
  });
  return continueRun(invocation, project);
}

/** `isdlc verify design`: judges what a completed phase left, once; `isdlc verify` is the phase of that name. */
export const verify: Run = async (invocation) => {
  if (await namesCommits(invocation)) return verifyCommits(invocation);
  const [word = "", ...rest] = invocation.words;
  if (!isSpecPhase(word) || word === "verify" || word === "finish") return specPhase(invocation);
  const here = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, here);
  if ((await currentRun(here)).state.is === "active") return recover(invocation, here);
  const found = await requireFeature(invocation, here, rest.join(" ").trim());
  refuseEnded(found);
  const { project, feature } = found;
  const isDone = feature.meta.phases[word]?.completed !== null && feature.meta.phases[word]?.completed !== undefined;
  const warnings = isDone ? [] : [`${word} is not marked as completed.`];
  await startRun(invocation, project, {
    workflow: "spec",
    title: feature.meta.name === "" ? feature.folder : feature.meta.name,
    place: { folder: feature.folder, phases: [word], analysed: [], record: {} },
    feature: {
      mode: feature.meta.mode,
      branch: await branchOf(found),
      worktree: feature.meta.worktree,
      warnings,
      adapt: (plan) => plan.map(judgedOnly),
    },
  });
  return continueRun(invocation, project);
};

/** Looks at what a phase left, and makes nothing. */
const judgedOnly = (rule: PhaseRule): PhaseRule => ({
  ...rule,
  key: `verify-${rule.key}`,
  name: `Verify ${rule.name}`,
  reviewer: rule.reviewer ?? "reviewer",
  verdicts: 1,
  judged: true,
  checks: { limit: 1, breaker: 1 },
});

/** Where the feature's branch stands; null where there is none, or no git. */
export async function branchOf({ project, feature }: PlacedFeature): Promise<FeatureBranch | null> {
  const git = createGitWrite(project.root);
  const branch = `feature/${feature.folder}`;
  if ((await createGitRead(project.root).facts()) === null) return null;
  const commit = await git.tip(branch);
  if (commit === null) return null;
  const named = feature.meta["base"];
  const baseTip = typeof named === "string" ? await git.tip(named) : null;
  if (typeof named !== "string" || baseTip === null) return { branch, base: null, commit };
  return { branch, base: named, commit, baseTip };
}

/** What an unfinished phase left is kept on a ref, and taken out of the tree. */
async function putAside({ io }: Invocation, { project, feature }: PlacedFeature, phase: SpecPhase): Promise<void> {
  const document = documentOf(phase);
  if (document === null) return;
  const path = `${FEATURES_ROOT}/${feature.folder}/${document}`;
  const workspace = createGitWorkspace(project.root, feature.folder);
  const name = await freeName(workspace, `${phase}-unfinished`);
  const kept = await workspace.snapshot(name, [path]);
  if (kept === null)
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: `${path} could not be kept before it is taken away` });
  deleteContained(project.root, path);
  io.err(`${path} is kept on refs/isdlc/${feature.folder}/${name}`);
}

/** What was kept before stays. */
async function freeName(workspace: Pick<Workspace, "kept">, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if ((await workspace.kept(name)) === null) return name;
  }
}
