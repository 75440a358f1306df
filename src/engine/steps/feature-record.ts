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

/** True for a feature. Only features have these documents. */
export const isFeature = ({ run }: ActiveRun): boolean => run.item.startsWith(`${FEATURES_ROOT}/`);

/** `verify-design` reviews the output of the phase `design`. */
export const VERIFIES = /^verify-(.+)$/;

export function recordFeatureStart(engine: Engine, run: ActiveRun): void {
  if (!isFeature(run)) return;
  const { item, title: name, options, startedAt: created, git, worktree = null } = run.run;
  const folder = item.slice(FEATURES_ROOT.length + 1);
  const id = /^[0-9]+/.exec(folder)?.[0] ?? folder;
  engine.features.begin(item, { id, name, mode: options.mode, created, worktree, base: git?.base ?? null });
}

/** Records the start of the current phase. Repeating it with the same time changes nothing. */
export function recordPhaseStart(engine: Engine, run: ActiveRun): void {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.startedAt === null || !isSpecPhase(phase.rule.key)) return;
  engine.features.tell(run.run.item, { is: "phaseStarted", phase: phase.rule.key, at: phase.startedAt });
}

/** Records each verdict about the current phase, with the changes made because of it. */
export async function recordReviews(engine: Engine, run: ActiveRun): Promise<void> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.iterations.length === 0) return;
  const events = await engine.journal.events(run.run.run);
  for (const review of listReviews(events).filter((one) => one.phase === phase.rule.key))
    engine.features.review(run.run.item, reviewHistoryEntry(review));
}

/**
 * Restores the documents of a feature, which only the engine may write. Before a phase is accepted, they return to
 * their state at its start, plus everything the journal recorded since. Returns a snapshot from before the restore;
 * null if there is nothing to restore from: without git, or if a filter of the repository or a folder is in the way.
 */
export async function takeBackRecord(engine: Engine, run: ActiveRun): Promise<string | null> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined) return null;
  await tellSoFar(engine, run, phase);
  const found = await beginAgain(engine, run, phase);
  await tellSoFar(engine, run, phase);
  return found;
}

/** A review-only phase has no start to record. */
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

/** Lists the documents that differed from the engine's version. */
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

/** Records the end of the current phase, which already counts as accepted. */
export async function recordPhaseEnd(engine: Engine, run: ActiveRun): Promise<void> {
  const phase = currentPhase(run);
  if (!isFeature(run) || phase === undefined || phase.status !== "completed") return;
  await tellSoFar(engine, run, phase); // the user may have restored the documents to the start of the phase
  const verdict = verificationBy(phase);
  if (verdict !== null) engine.features.tell(run.run.item, { is: "phaseVerified", ...verdict });
  if (phase.rule.key !== "finish") recordCompletion(engine, run, phase); // finish is recorded once the user chose how
}

function recordCompletion(
  engine: Pick<Engine, "features">,
  run: ActiveRun,
  { rule, made, completedAt, iterations }: PhaseRecord,
): void {
  if (!isSpecPhase(rule.key) || completedAt === null) return;
  const facts = { iterations: Math.max(1, iterations.length), reviewerNotes: reviewerNotes(made) };
  engine.features.tell(run.run.item, { is: "phaseCompleted", phase: rule.key, at: completedAt, ...facts });
}

/** Lists open concerns, and the warnings of the last verdict, which do not prevent an approval. */
function reviewerNotes(made: PhaseRecord["made"]): string[] {
  const { concerns = [], issues = [] } = made ?? {};
  const warnings = issues
    .filter(({ severity, description }) => severity === "warning" && !concerns.some((one) => one.includes(description)))
    .map(({ description, location }) => `warning: ${description}${location === null ? "" : ` (${location})`}`);
  return [...concerns, ...warnings];
}

type Verification = { readonly phase: SpecPhase; readonly verified: boolean };

/**
 * Returns the phase that a verification reviews, and its result: `verify-design` reviews the design, `verify` the
 * implementation.
 */
function verificationBy({ rule, made }: PhaseRecord): Verification | null {
  if (made === null) return null;
  if (rule.key === "verify") {
    const isGood = made.concerns.length === 0 && !made.checks.some(isFailure);
    return { phase: "implement", verified: isGood };
  }
  const target = VERIFIES.exec(rule.key)?.[1];
  return isSpecPhase(target) ? { phase: target, verified: made.approved } : null;
}

/**
 * Records merged work, and work with a pull request, as completed; discarded work as abandoned. A branch that is kept
 * is neither.
 */
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
