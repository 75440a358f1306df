import { createGitWorkspace } from "../../../adapters/git/git-workspace.ts";
import { deleteContained } from "../../../adapters/files/contained-file.ts";
import { featureAt, featureFolders } from "../../../adapters/project-files/features.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type ActiveRun, currentPhase } from "../../../core/run.ts";
import { isSpecPhase, type SpecPhase } from "../../../core/spec/spec-phases.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import type { PhaseRule } from "../../../schema/plan.ts";
import { identifyStarter, identifyPerson } from "../invocation/caller.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { currentRun, record } from "../../../app/project/current-run.ts";
import { folderSlug, nextFolder } from "../../../app/start/name-work.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { featuresIn, withRememberedAgents } from "../terminal/active-feature.ts";
import { findFeature, isNamedBy, type PlacedFeature, refuseEnded, requireFeature } from "../terminal/find-feature.ts";
import { chooseBegun, findDocument, resolveBegun, resolveTransition } from "./spec/resolve-phase.ts";
import { resolveWorktree } from "./spec/resolve-worktree.ts";
import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import type { FeatureBranch, FeatureWork } from "../../../app/start/run-request.ts";
import type { Initiator } from "../../../schema/people.ts";
import { readMode, runRequest } from "../grammar/run-request.ts";
import { openPlanned, resolvePlan, startRun } from "../terminal/start-run.ts";
import { type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { recover } from "./begin.ts";
import { verifyCommits } from "./verify-commits.ts";
import { commitNamed, historyGit } from "../../../adapters/attestation/history-git.ts";
import { orNull, repositoryAt } from "../../../adapters/git/read/repository.ts";
import { verifyOptions } from "../grammar/options.ts";

/** Runs one phase of the spec workflow for the current, a named or a new feature. */
export const specPhase: Run = async (invocation) => {
  const here = openProject(invocation.cwd, invocation.env);
  const by = await identifyStarter(invocation, here);
  const target = invocation.verb.name as SpecPhase; // each command with this implementation is named after its phase
  const open = await currentRun(here);
  const words = invocation.words.join(" ").trim();
  if (open.state.is === "active") return continueWith(invocation, here, { run: open.state, target, words });
  const found =
    NEEDS_A_FEATURE.has(target) || words === ""
      ? await requireFeature(invocation, here, words)
      : await findFeature(invocation, here, words);
  return found === null
    ? beginFeature(invocation, here, { target, title: words, by })
    : workOn(invocation, found, { target, by });
};

/** Phases that cannot start a feature, as there is no work to verify yet. */
const NEEDS_A_FEATURE: ReadonlySet<SpecPhase> = new Set<SpecPhase>(["verify", "finish"]);

type OpenPhase = { readonly run: ActiveRun; readonly target: SpecPhase; readonly words: string };

/**
 * Continues an interrupted run of this phase, or starts it again on request. A run of another phase must be completed
 * first.
 */
async function continueWith(
  invocation: Invocation,
  project: LocalProject,
  { run, target, words }: OpenPhase,
): Promise<Result> {
  const isThisPhase = run.run.workflow === "spec" && currentPhase(run)?.rule.key === target && isAbout(run, words);
  if (run.wait !== null || !isThisPhase) return recover(invocation, project);
  const document = findDocument(target);
  const artifact = (): string | null =>
    document === null ? null : project.projections.readArtifact(`${run.run.item}/${document}`);
  const begun = await chooseBegun(invocation, target, artifact);
  if (begun.is === "open") throw new ChoicesNeeded([begun.choice]);
  if (begun.is === "fresh") {
    const by = await identifyPerson(invocation, project);
    await record(project, run.run.run, { do: "back", to: target, tree: "restore", by });
  }
  return continueRun(invocation, project);
}

/** True without words, and if they name the run's feature or its title. */
function isAbout({ run }: ActiveRun, words: string): boolean {
  const folder = run.item.slice(FEATURES_ROOT.length + 1);
  return words === "" || isNamedBy(folder, run.title, words);
}

type New = { readonly target: SpecPhase; readonly title: string; readonly by: Initiator };

async function beginFeature(invocation: Invocation, here: LocalProject, { target, title, by }: New): Promise<Result> {
  const mode = readMode(invocation.values);
  const { warnings, choices } = await resolveTransition(invocation, { feature: null, target, mode });
  const facts = await here.vcs.facts();
  const base = facts?.branch ?? facts?.head ?? null;
  const plain = { mode, branch: null, worktree: null, warnings: [], adapt: (plan: PhaseRule[]) => plan };
  const place = { folder: null, phases: [target], analysed: [], record: {} };
  const wanted = runRequest(invocation, { workflow: "spec", title, by, target: place, feature: plain, choices });
  const resolveFirst = async () => (await resolvePlan(invocation, here, { ...wanted, isElsewhere: true })).request;
  const drawName = () =>
    nextFolder(here, { root: FEATURES_ROOT, prefix: "" }, { slug: folderSlug(here, title), git: true });
  const chosen = await resolveWorktree(invocation, here, { mode, base, resolveFirst, wanted, drawName });
  const { project, worktree, request, folder } = chosen;
  const made: FeatureBranch | null =
    folder === null || facts === null || facts.head === null
      ? null
      : { branch: `feature/${folder}`, base: facts.branch, commit: facts.head };
  const told = [...warnings, ...onto(facts?.branch)];
  const feature = { ...plain, branch: made, worktree, warnings: told };
  await startRun(invocation, project, { ...request, isElsewhere: false, feature, target: { ...place, folder } });
  return continueRun(invocation, project);
}

/** A feature started on the branch of another one is merged into that branch. */
const onto = (branch: string | null | undefined): string[] =>
  branch?.startsWith("feature/") ? [`This feature starts on ${branch}, and will be merged into it.`] : [];

/** A request to work on an existing feature. */
export type FeatureStep = {
  readonly target: SpecPhase;
  readonly by: Initiator;
  /** Choices found open earlier. */
  readonly choices?: readonly Choice[];
};

/** Starts the requested phase of an existing feature. */
export async function workOn(invocation: Invocation, found: PlacedFeature, step: FeatureStep): Promise<Result> {
  refuseEnded(found);
  const { target, by } = step;
  const { project, feature } = found;
  const { mode, worktree } = feature.meta;
  const inTree = await currentRun(project);
  if (inTree.state.is === "active")
    return continueWith(invocation, project, { run: inTree.state, target, words: feature.folder });
  const wished = text(invocation.values, "mode") ?? mode;
  const kept = wished === mode ? [] : [`${feature.folder} was started in mode ${mode} and keeps this mode.`];
  const transition = await resolveTransition(invocation, { feature, target, mode });
  const begun = await resolveBegun(invocation, { feature, target, mode }, project.projections);
  const choices = [...(step.choices ?? []), ...transition.choices, ...(begun.is === "open" ? [begun.choice] : [])];
  const warnings = [...kept, ...transition.warnings];
  const work = { mode, branch: await findBranch(found), worktree, warnings, adapt: (plan: PhaseRule[]) => plan };
  const { plan } = await resolvePlan(
    invocation,
    project,
    await withRememberedAgents(requestFor(invocation, found, { phase: target, by, choices, work }), found),
  );
  if (begun.is === "fresh") await putAside(invocation, found, target);
  await openPlanned(invocation, plan);
  return continueRun(invocation, project);
}

type Piece = {
  readonly phase: string;
  readonly by: Initiator;
  readonly choices?: readonly Choice[];
  readonly work: FeatureWork;
};

function requestFor(invocation: Invocation, { feature }: PlacedFeature, { phase, by, choices = [], work }: Piece) {
  const { folder, meta } = feature;
  const target = { folder, phases: [phase], analysed: [], record: {} };
  const title = meta.name === "" ? folder : meta.name;
  return runRequest(invocation, { workflow: "spec", title, by, target, feature: work, choices });
}

/** `isdlc verify design` reviews the output of that phase once; `isdlc verify` alone runs the phase of this name. */
export const verify: Run = async (invocation) => {
  if (await namesCommits(invocation)) return verifyCommits(invocation);
  const [word = "", ...rest] = invocation.words;
  if (!isSpecPhase(word) || word === "verify" || word === "finish") return specPhase(invocation);
  const here = openProject(invocation.cwd, invocation.env);
  const by = await identifyStarter(invocation, here);
  if ((await currentRun(here)).state.is === "active") return recover(invocation, here);
  const found = await requireFeature(invocation, here, rest.join(" ").trim());
  refuseEnded(found);
  const { project, feature } = found;
  const { mode, worktree, phases } = feature.meta;
  const isDone = phases[word]?.completed !== null && phases[word]?.completed !== undefined;
  const warnings = isDone ? [] : [`${word} is not marked as completed.`];
  const adapt = (plan: PhaseRule[]): PhaseRule[] => plan.map(judgedOnly);
  const work = { mode, branch: await findBranch(found), worktree, warnings, adapt };
  const wanted = requestFor(invocation, found, { phase: word, by, work });
  await startRun(invocation, project, await withRememberedAgents(wanted, found));
  return withVerdict(await continueRun(invocation, project), found, word);
};

/** Returns exit code 1 if the phase is not verified, for scripts. */
function withVerdict(result: Result, { project, feature }: PlacedFeature, phase: SpecPhase): Result {
  const after = featureAt(featuresIn(project.root), feature.folder);
  const isVerified = after?.meta.phases[phase]?.verified === true;
  return result.code === 0 && !isVerified ? { ...result, code: 1, json: { ...result.json, ok: false } } : result;
}

/** Turns a phase into a review of its existing output. */
const judgedOnly = (rule: PhaseRule): PhaseRule => ({
  ...rule,
  key: `verify-${rule.key}`,
  name: `Verify ${rule.name}`,
  reviewer: rule.reviewer ?? "reviewer",
  verdicts: 1,
  judged: true,
  checks: { limit: 1, breaker: 1 },
});

/**
 * Reads the branch to work on: the feature's branch, or the current one if the feature's is checked out in its own
 * worktree (`isAside`). Null if there is no such branch, or without git.
 */
export async function findBranch({ project, feature, isAside = false }: PlacedFeature): Promise<FeatureBranch | null> {
  const git = project.vcsWrite;
  const facts = await project.vcs.facts();
  if (facts === null) return null;
  const branch = isAside ? facts.branch : `feature/${feature.folder}`;
  if (branch === null) return null;
  const commit = await git.tip(branch);
  if (commit === null) return null;
  const named = feature.meta["base"];
  const baseTip = typeof named === "string" ? await git.tip(named) : null;
  if (typeof named !== "string" || baseTip === null) return { branch, base: null, commit };
  return { branch, base: named, commit, baseTip };
}

/** Saves the document of an unfinished phase under a ref, and deletes the file. */
async function putAside({ io }: Invocation, { project, feature }: PlacedFeature, phase: SpecPhase): Promise<void> {
  const document = findDocument(phase);
  if (document === null) return;
  const path = `${FEATURES_ROOT}/${feature.folder}/${document}`;
  const workspace = createGitWorkspace(project.root, { run: feature.folder, env: project.env });
  const name = await freeName(workspace, `${phase}-unfinished`);
  const kept = await workspace.snapshot(name, [path]);
  if (kept === null)
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: `${path} could not be kept before it is taken away` });
  deleteContained(project.root, path);
  io.err(`${path} is kept on refs/isdlc/${feature.folder}/${name}`);
}

/** Chooses an unused name, to keep earlier backups. */
async function freeName(workspace: Pick<Workspace, "kept">, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if ((await workspace.kept(name)) === null) return name;
  }
}

/**
 * True if `isdlc verify <word>` is about commits: with an option that only commits have, for a range, and for any name
 * known to git. A phase, a number or the name of a feature here belongs to the spec workflow.
 */
async function namesCommits({ words, values, cwd, env }: Invocation): Promise<boolean> {
  const [word = ""] = words;
  if (Object.keys(verifyOptions).some((name) => values[name] !== undefined)) return true;
  if (words.length !== 1 || isSpecPhase(word) || /^[0-9]{1,6}$/.test(word)) return false;
  if (word.includes("..")) return true;
  const repository = await orNull(repositoryAt(cwd, { env }));
  const folders = repository === null ? [] : featureFolders(featuresIn(repository.top));
  if (folders.some((folder) => isNamedBy(folder, "", word))) return false;
  return repository !== null && (await commitNamed(await historyGit(cwd, env), word)) !== null;
}
