import type { Outcome } from "../../core/command.ts";
import { failureDigest, UNSEEN } from "../../core/failure-digest.ts";
import { artifactPath, mayWrite } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import type { CheckResult, FileChange, TestCommand } from "../../schema/facts.ts";
import type { Engine } from "../engine.ts";
import type { Task } from "../perform.ts";

/** Runs what code can verify about a draft: the artifacts that are due or claimed, and the tests. */
export async function checkDraft(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "checking" || phase === undefined) return null;
  const results = await runChecks(engine, { run, phase, claimed: run.stage.draft.artifacts }, signal);
  return {
    of: "check",
    results,
    digest: digestOf(engine, results),
    testsChanged: (await testsChanged(engine, run, phase)) ?? (await testsDeleted(engine, run, phase)),
  };
}

/** After a person said continue: whatever was edited since the gate opened is checked again. */
export async function recheck(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "rechecking" || phase === undefined) return null;
  const { made } = run.stage;
  const name = `${phase.rule.key}-${phase.attempts}-continued`;
  const found = await engine.workspace.snapshot(name, [run.run.item]);
  const edited = await engine.workspace.diff(made.tree, found);
  if (edited !== null && edited.length === 0)
    return { of: "recheck", edited, tree: found, results: [], digest: digestOf(engine, []) };
  const tests = phase.rule.tests || mayTouchCode(run, edited);
  const checked = await runChecks(engine, { run, phase, claimed: made.artifacts, tests }, signal);
  const results = [...(run.stage.pausedAt === null ? unseen(edited ?? []) : []), ...checked];
  const tree = await engine.workspace.snapshot(`${name}-checked`, [run.run.item]);
  return { of: "recheck", edited, tree, results, digest: digestOf(engine, results) };
}

/**
 * A phase without tests of its own is tested all the same when code was edited at its gate. Without git nobody knows
 * what was edited: whoever paused may have.
 */
function mayTouchCode({ run, stage }: ActiveRun, edited: readonly FileChange[] | null): boolean {
  if (edited !== null) return edited.some(({ path }) => !path.startsWith(`${run.item}/`));
  return run.git !== null || (stage.is === "rechecking" && stage.pausedAt !== null);
}

/** Whoever continues without having paused to edit has not seen what changed since the summary was made. */
function unseen(edited: readonly FileChange[]): CheckResult[] {
  if (edited.length === 0) return [];
  const paths = edited.map(({ path, change }) => `${path} (${change})`).join(", ");
  return [{ name: UNSEEN, ok: false, detail: `Changed after the summary was made: ${paths}` }];
}

type Subject = {
  readonly run: ActiveRun;
  readonly phase: PhaseRecord;
  readonly claimed: readonly string[];
  /** Whether the tests are run; as the phase has it, unless told. */
  readonly tests?: boolean;
};

/** The checks of a phase as they stand now; changes nothing. */
export async function runChecks(
  engine: Pick<Engine, "checks" | "show" | "redact">,
  { run, phase, claimed, tests = phase.rule.tests }: Subject,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const due = phase.rule.outputs.map((name) => artifactPath(run.run.item, name));
  const results = [await engine.checks.artifacts([...new Set([...due, ...claimed])])];
  if (tests) results.push(await runTests(engine, run, signal));
  return results.map((result) => ({ ...result, detail: engine.redact(result.detail) }));
}

async function runTests(
  engine: Pick<Engine, "checks" | "show">,
  run: ActiveRun,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (run.tests === null) return { name: "tests", ok: null, detail: "Not measured: no trusted test command." };
  engine.show({ at: "says", step: "check", attempt: null, text: run.tests.argv.join(" "), usage: null });
  return engine.checks.runTests(run.tests, signal);
}

/** Null while tests are run the way a person trusted. */
async function testsChanged(engine: Engine, run: ActiveRun, phase: PhaseRecord): Promise<string | null> {
  if (!phase.rule.tests) return null;
  if (run.tests === null) return null;
  const now = await engine.checks.detectTests();
  if (now?.digest === run.tests.digest) return null;
  if (now === null) return engine.redact(`The test command ${commandText(run.tests)} is gone.`);
  const [trusted, found] = [commandText(run.tests), commandText(now)];
  const told = found === trusted ? "the same command, with other settings or scripts behind it" : found;
  return engine.redact(
    `The project no longer runs the tests as it did when they were trusted.\nTrusted: ${trusted}\nNow: ${told}`,
  );
}

/** The command alone says little where a script of the project stands behind it. */
const commandText = ({ argv, source }: TestCommand): string => `${argv.join(" ")} (${source})`;

/** Null while every test file of before the phase is there, or once a person agreed that some are not. */
async function testsDeleted(engine: Engine, run: ActiveRun, phase: PhaseRecord): Promise<string | null> {
  if (!phase.rule.tests || (await acceptedNow(engine))) return null;
  const tree = await engine.workspace.now([run.run.item]);
  const changes = await engine.workspace.diff(phase.firstTree, tree);
  if (changes === null && phase.firstTree !== null)
    return "Whether tests were deleted cannot be told: the snapshot from before the phase is gone.";
  const tests = (changes ?? []).filter(({ path }) => isTest(run, path));
  const added = new Set(tests.filter(({ change }) => change === "added").map(({ path }) => nameOf(path)));
  const deleted = tests.filter(({ path, change }) => change === "deleted" && !added.has(nameOf(path)));
  if (deleted.length === 0) return null;
  const named = deleted.slice(0, MOST_NAMED).map(({ path }) => path);
  const more = deleted.length > MOST_NAMED ? ` and ${deleted.length - MOST_NAMED} more` : "";
  return `Tests were deleted: ${named.join(", ")}${more}.`;
}

const MOST_NAMED = 10;

/** A person has seen this very draft and accepted how its tests are run. */
async function acceptedNow(engine: Engine): Promise<boolean> {
  const events = await engine.journal.events(engine.run);
  return (
    events.findLast(({ type }) => type === "tests.accepted" || type === "draft.produced")?.type === "tests.accepted"
  );
}

/** A test that turns up elsewhere under its name was moved. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const isTest = ({ run }: ActiveRun, path: string): boolean =>
  !path.startsWith(`${run.item}/`) && mayWrite({ writes: "tests" }, run.item, path);

const digestOf = (engine: Engine, results: readonly CheckResult[]): string => engine.hash(failureDigest(results));
