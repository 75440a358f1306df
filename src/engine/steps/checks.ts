import type { Outcome } from "../../core/command.ts";
import { againstBaseline, newFailures } from "../../core/baseline.ts";
import { whenAccepted } from "../../core/evolve/when-accepted.ts";
import { failureDigest, UNSEEN } from "../../core/failure-digest.ts";
import { isOnlyFlaky, withFlaky } from "../../core/flaky-tests.ts";
import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import { chosenCommands, testCommandText } from "../../core/test-command.ts";
import type { CheckResult, FileChange, PhaseOutput } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine, Task } from "../engine.ts";
import { compareTests } from "./compare-tests.ts";
import { movedSince, readRepositoryStanding, scanForGate, verifyObjects } from "./standing.ts";
import { snapshotGone } from "./review-writes.ts";
import { codeChanges, mustChangeCode, noCodeChanged } from "../../core/changes/changed-code.ts";

/** Checks a draft by code: the artifacts that are due or claimed, and the tests. */
export async function checkDraft(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "checking" || phase === undefined) return null;
  const name = `${phase.rule.key}-${phase.attempts}-checked`;
  const tree = await engine.workspace.snapshot(name, [run.run.item]);
  const idle = await checkChangedCode(engine, { run, phase, tree });
  const tests = phase.rule.tests && idle.length === 0; // without changed code, the tests prove nothing about the phase
  const checked = await runChecks(engine, { run, phase, claimed: run.stage.draft.artifacts, tests, tree }, signal);
  const results = [...idle, ...checked];
  const compared = await compareTests(engine, { run, phase, tree, results }, signal);
  const { results: told, changed: testsChanged, ...way } = compared;
  const left = results.some(({ ok }) => ok === false)
    ? await engine.workspace.snapshot(`${name}-failed`, [run.run.item])
    : null;
  const after = left === null ? {} : { tree: left };
  return { of: "check", results: told, digest: digestFailures(engine, results), testsChanged, ...way, ...after };
}

/** Compares the working tree with the gate after the user chose Continue. Differences are checked again and shown. */
export async function recheck(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Outcome | null> {
  const phase = currentPhase(run);
  const made = phase?.made ?? null;
  if (run.stage.is !== "rechecking" || phase === undefined || made === null) return null;
  const name = `${phase.rule.key}-${phase.attempts}-continued`;
  const found = await engine.workspace.snapshot(name, [run.run.item]);
  const edited = await editedSince(engine, made.tree, found);
  const moved = await movedSinceShown(engine, run, made);
  await verifyObjects(engine, { from: made.tree, tree: found, changed: edited });
  if (edited !== null && edited.length + moved.length === 0)
    return { of: "recheck", edited, tree: found, results: [], digest: digestFailures(engine, []) };
  const tests = phase.rule.tests || mayTouchCode(run, edited);
  const checked = await runChecks(engine, { run, phase, claimed: made.artifacts, tests, tree: found }, signal);
  const results = [...unseen(edited ?? [], moved), ...checked.map((result) => unrun(run, result))];
  const compared = results.map((result) => againstBaseline(run.baseline, result));
  const accepted = whenAccepted(run, { made: { ...made, checks: compared }, failures: newFailures(run, compared) });
  const { tree, mixed: _told, ...beside } = await scanForGate(engine, run, { name, accepted });
  const digest = engine.hash(JSON.stringify({ tree, beside, failed: failureDigest(results) }));
  const written = tree === found ? edited : await editedSince(engine, made.tree, tree); // by hooks
  return { of: "recheck", edited: written, tree, results, digest, ...beside };
}

/** Fails the check for existing tests that could not be run, to show this at the gate. */
const unrun = ({ tests }: ActiveRun, result: CheckResult): CheckResult =>
  tests !== null && result.name === "tests" && result.ok === null ? { ...result, ok: false } : result;

/**
 * Returns null if the changes are unknown, without git or in the analysis of an item.
 * @throws ProblemError if git cannot compare the trees.
 */
async function editedSince(
  { workspace, vcs }: Engine,
  shown: string | null,
  now: string | null,
): Promise<readonly FileChange[] | null> {
  const edited = await workspace.diff(shown, now);
  if (edited === null && vcs !== null && shown !== null) throw snapshotGone("the gate");
  return edited;
}

async function movedSinceShown(engine: Engine, run: ActiveRun, { standing }: PhaseOutput): Promise<string[]> {
  const now = standing === undefined ? undefined : await readRepositoryStanding(engine, run);
  return standing === undefined || now === undefined ? [] : movedSince(standing, now, run);
}

/**
 * Returns true if code may have been edited at the gate; then tests run even in a phase without tests. Without git,
 * edits go unnoticed; a pause counts as an edit.
 */
function mayTouchCode({ run, stage }: ActiveRun, edited: readonly FileChange[] | null): boolean {
  if (edited !== null) return edited.some(({ path }) => !path.startsWith(`${run.item}/`));
  return run.git !== null || (stage.is === "rechecking" && stage.pausedAt !== null);
}

/**
 * Returns a failed check that lists all changes after the summary; empty without changes. They are accepted only after
 * a gate has listed them.
 */
export function unseen(edited: readonly FileChange[], moved: readonly string[]): CheckResult[] {
  const paths = edited.map(({ path, change }) => `${JSON.stringify(path).slice(1, -1)} (${change})`);
  const lines = [...(edited.length === 0 ? [] : ["Files changed after the summary:", ...paths]), ...moved];
  return lines.length === 0 ? [] : [{ name: UNSEEN, ok: false, detail: lines.join("\n") }];
}

type Subject = {
  readonly run: ActiveRun;
  readonly phase: PhaseRecord;
  readonly claimed: readonly string[];
  /** True to run the tests; default is the phase's rule. */
  readonly tests?: boolean;
  /** Snapshot to check; null without git. */
  readonly tree: TreeId | null;
};

/** Runs the checks of a phase on its current files; changes nothing. */
export async function runChecks(
  engine: CheckContext,
  { run, phase, claimed, tests = phase.rule.tests, tree }: Subject,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const due = phase.rule.outputs.map((name) => artifactPath(run.run.item, name));
  const results = [await engine.checks.artifacts([...new Set([...due, ...claimed])])];
  if (tests) results.push(await runTests(engine, { run, tree }, signal));
  return results.map((result) => ({ ...result, detail: engine.redact(result.detail) }));
}

type CheckContext = Pick<Engine, "checks" | "show" | "redact" | "workspace">;

async function runTests(
  engine: CheckContext,
  { run, tree }: Pick<Subject, "run" | "tree">,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (run.tests === null) return { name: "tests", ok: null, detail: whyWithoutTests(run) };
  const now = await engine.checks.detectTests(chosenCommands(run.tests));
  if (now?.command.digest !== run.tests.digest) return { name: "tests", ok: null, detail: NOT_AS_TRUSTED };
  engine.show({ at: "says", step: "check", attempt: null, text: testCommandText(now.command), usage: null });
  const measure = () => engine.checks.runTests({ command: now.command, tree }, signal);
  const first = await measure();
  const result = isOnlyFlaky(first, run.baseline?.result.flaky ?? []) ? withFlaky(first, await measure()) : first;
  if (result.ranAs !== "you" || tree === null) return result;
  const changes = await engine.workspace.diff(tree, await engine.workspace.now([run.run.item]));
  return changes === null ? result : asTheyLeftIt(result, changes);
}

const whyWithoutTests = ({ run }: ActiveRun): string =>
  run.options.tests === "none" ? "Not run, as you chose." : "Not run: there is no test command.";

const NOT_AS_TRUSTED = "Not run: the project no longer runs its tests as it did when they were trusted.";

/**
 * Fails tests that changed files while they ran: they could alter the code under test and restore it. Added files are
 * ignored, as most test runs leave some.
 */
function asTheyLeftIt(result: CheckResult, changes: readonly FileChange[]): CheckResult {
  const touched = changes.filter(({ change }) => change !== "added").map(({ path, change }) => `${path} (${change})`);
  if (touched.length === 0) return result;
  const detail = `The tree changed while its tests ran, so their result is not valid: ${touched.join(", ")}`;
  return { ...result, ok: false, detail: result.ok === false ? `${detail}\n${result.detail}` : detail };
}

const digestFailures = (engine: Engine, results: readonly CheckResult[]): string => engine.hash(failureDigest(results));

type DraftedPhase = { readonly run: ActiveRun; readonly phase: PhaseRecord; readonly tree: TreeId | null };

/** Returns a failed check if the phase must change code and did not. Empty if it did, or if changes are unknown. */
async function checkChangedCode(
  { workspace }: Pick<Engine, "workspace">,
  { run, phase, tree }: DraftedPhase,
): Promise<readonly CheckResult[]> {
  if (!mustChangeCode(phase) || tree === null) return [];
  const changes = await workspace.diff(phase.firstTree, tree);
  if (changes === null) return [];
  const submodules = await workspace.submodules(tree);
  const paths = submodules.map(({ path }) => path);
  if (codeChanges(changes, { item: run.run.item, submodules: paths }).length > 0) return [];
  const began = Date.parse(phase.startedAt ?? "");
  const moved = new Set(changes.map(({ path }) => path));
  const touched = submodules.filter(({ path, changedAt }) => moved.has(path) || changedAt >= began);
  return [noCodeChanged(touched.map(({ path }) => path))];
}
