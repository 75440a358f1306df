import { isFailure } from "../../core/baseline.ts";
import { artifactPath } from "../../core/plan.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import { isSpecPhase, type SpecPhase } from "../../core/spec/spec-phases.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Finish } from "../../schema/plan.ts";
import { listReviews } from "../../views/reviews.ts";
import { reviewHistoryEntry } from "../../views/spec/review-history.ts";
import type { Engine } from "../engine.ts";

export const FEATURES_ROOT = "docs/features";

/** Features have documents of their own, and nothing else has them. */
export const isFeature = ({ run }: ActiveRun): boolean => run.item.startsWith(`${FEATURES_ROOT}/`);

/** `verify-design` judges what the phase `design` left. */
export const VERIFIES = /^verify-(.+)$/;

export function recordFeatureStart(engine: Engine, run: ActiveRun): void {
  if (!isFeature(run)) return;
  const { item, title: name, options, startedAt: created, git, worktree = null } = run.run;
  const folder = item.slice(FEATURES_ROOT.length + 1);
  const id = /^[0-9]+/.exec(folder)?.[0] ?? folder;
  engine.features.begin(item, { id, name, mode: options.mode, created, worktree, base: git?.base ?? null });
}

/** Says that the current phase was begun, as long as nothing came of it yet. */
export function recordPhaseStart(engine: Engine, run: ActiveRun): void {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.startedAt === null || !isSpecPhase(phase.rule.key)) return;
  engine.features.tell(run.run.item, { is: "phaseStarted", phase: phase.rule.key, at: phase.startedAt });
}

/** Every verdict about the current phase, with what was changed because of it. */
export async function recordReviews(engine: Engine, run: ActiveRun): Promise<void> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.iterations.length === 0) return;
  const events = await engine.journal.events(run.run.run);
  for (const review of listReviews(events).filter((one) => one.phase === phase.rule.key))
    engine.features.review(run.run.item, reviewHistoryEntry(review));
}

/**
 * The documents about a feature are the engine's to write. Before a phase counts they are put back as they were when
 * it began, with what the journal says since. Gives a snapshot of what was found instead; null where there is nothing
 * to put back from: without git, or where a filter of the repository or a folder stands in the way.
 */
export async function takeBackRecord(engine: Engine, run: ActiveRun): Promise<string | null> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined) return null;
  await tellSoFar(engine, run, phase);
  const found = await beginAgain(engine, run, phase);
  await tellSoFar(engine, run, phase);
  return found;
}

/** What is only judged was never begun. */
async function tellSoFar(engine: Engine, run: ActiveRun, { rule }: PhaseRecord): Promise<void> {
  if (rule.judged !== true) recordPhaseStart(engine, run);
  await recordReviews(engine, run);
}

async function beginAgain({ workspace }: Engine, { run }: ActiveRun, phase: PhaseRecord): Promise<string | null> {
  const { firstTree } = phase;
  if (firstTree === null) return null;
  const found = await workspace.now([run.item]);
  try {
    await workspace.restore(firstTree, featureDocuments(run.item));
    return found;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

/** Which of the documents were not as the engine had written them. */
export async function foreignRecord(
  { workspace }: Engine,
  { run }: ActiveRun,
  { found, tree }: { readonly found: TreeId | null; readonly tree: TreeId | null },
): Promise<readonly string[]> {
  if (found === null) return [];
  const own = featureDocuments(run.item);
  const changes = await workspace.diff(found, tree);
  return changes === null ? own : changes.map(({ path }) => path).filter((path) => own.includes(path));
}

export const featureDocuments = (item: string): string[] =>
  [".meta.json", ".review-history.md"].map((name) => artifactPath(item, name));

/** The current phase counts: it is being accepted. */
export async function recordPhaseEnd(engine: Engine, run: ActiveRun): Promise<void> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.status !== "completed") return;
  await tellSoFar(engine, run, phase); // a person may have taken the documents back to where the phase began
  const verdict = verificationBy(phase);
  if (verdict !== null) engine.features.tell(run.run.item, { is: "phaseVerified", ...verdict });
  if (phase.rule.key !== "finish") recordCompletion(engine, run, phase); // finishing counts once it is known how
}

function recordCompletion(
  engine: Pick<Engine, "features">,
  run: ActiveRun,
  { rule, made, completedAt, iterations }: PhaseRecord,
): void {
  if (!isSpecPhase(rule.key) || completedAt === null) return;
  const facts = { iterations: Math.max(1, iterations.length), reviewerNotes: made?.concerns ?? [] };
  engine.features.tell(run.run.item, { is: "phaseCompleted", phase: rule.key, at: completedAt, ...facts });
}

type Verification = { readonly phase: SpecPhase; readonly verified: boolean };

/** What a verification says about a phase: `verify design` about the design, `verify` about what was implemented. */
function verificationBy({ rule, made }: PhaseRecord): Verification | null {
  if (made === null) return null;
  if (rule.key === "verify") {
    const isGood = made.concerns.length === 0 && !made.checks.some(isFailure);
    return { phase: "implement", verified: isGood };
  }
  const target = VERIFIES.exec(rule.key)?.[1];
  return isSpecPhase(target) ? { phase: target, verified: made.approved } : null;
}

/** Merged and proposed work is completed, discarded work abandoned; a branch that is kept is neither. */
export function recordFeatureEnd(engine: Pick<Engine, "features">, run: ActiveRun, how: Finish): void {
  const finish = run.phases.find(({ rule }) => rule.key === "finish");
  if (!isFeature(run) || how === "keep" || finish === undefined) return;
  if (finish.startedAt !== null)
    engine.features.tell(run.run.item, { is: "phaseStarted", phase: "finish", at: finish.startedAt });
  recordCompletion(engine, run, finish);
  const at = run.phases.findLast(({ completedAt }) => completedAt !== null)?.completedAt ?? run.run.startedAt;
  engine.features.closeReviews(run.run.item);
  engine.features.tell(run.run.item, { is: how === "discard" ? "abandoned" : "completed", at });
}
