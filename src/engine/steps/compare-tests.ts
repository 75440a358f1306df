import { mayWrite } from "../../core/plan.ts";
import type { ActiveRun, PhaseRecord } from "../../core/run.ts";
import { chosenCommands, testCommandText } from "../../core/test-command.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { CheckResult, FileChange, TestCommand, TestCounts } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import { testsInFull } from "../../views/tests-in-full.ts";
import type { Engine } from "../engine.ts";
import { decidesTests, standsInForTool } from "../../core/changes/acting-files.ts";

type CheckedPhase = {
  readonly run: ActiveRun;
  readonly phase: PhaseRecord;
  /** Snapshot used by the checks. */
  readonly tree: TreeId | null;
  readonly results: readonly CheckResult[];
};

/** Current test command, if it differs from the trusted one. */
type OtherWay = { readonly text: string; readonly tests: TestCommand | null };

type TestComparisonResult = {
  /** Results, with notes for the user about the tests. */
  readonly results: readonly CheckResult[];
  /** Why the tests may no longer be relied on; null if there is no reason. */
  readonly changed: string | null;
  /** Current test command, if it is not the trusted one; null if there is none now. */
  readonly tests?: TestCommand | null;
};

/**
 * Compares the tests that just ran with those before the run: test command, test files and test configuration, number
 * of passing tests, and the result of the old tests on the new code.
 */
export async function compareTests(
  engine: Engine,
  checked: CheckedPhase,
  signal: AbortSignal,
): Promise<TestComparisonResult> {
  const { run, phase, results } = checked;
  const tests = results.find(({ name }) => name === "tests");
  if (!phase.rule.tests || run.tests === null || tests === undefined) return { results, changed: null };
  const changes = await changesSinceStart(engine, checked);
  const events = await engine.journal.events(engine.run);
  const otherWay = await commandChanged(engine, run.tests);
  if (otherWay !== null) return { results, changed: engine.redact(otherWay.text), tests: otherWay.tests };
  const surroundings = await surroundingsChanged(engine);
  const isDeclared = changes.some(({ path }) => decidesTests(path) === "manifest");
  const found = isAccepted(events)
    ? []
    : [
        await testsDeleted(engine, checked),
        testsMoved(run, changes),
        toolsReplaced(changes),
        await oldTests(engine, { ...checked, changes }, signal),
        fewerTests({ events, run }, tests.counts),
        isDeclared ? null : surroundings,
      ];
  const alarms = found.filter((alarm) => alarm !== null);
  const beside = isDeclared && surroundings !== null ? [surroundings] : [];
  const notes = [...listNotes(run, changes), ...beside].map((note) => engine.redact(note));
  const noted = results.map((result) =>
    result === tests && notes.length > 0 ? { ...result, notes: [...(result.notes ?? []), ...notes] } : result,
  );
  return { results: noted, changed: alarms.length === 0 ? null : engine.redact(alarms.join("\n")) };
}

/** Lists changes since before the first agent of the run wrote anything. */
async function changesSinceStart(engine: Engine, { run, tree }: CheckedPhase): Promise<readonly FileChange[]> {
  return (await engine.workspace.diff(startTree(run), tree)) ?? [];
}

function startTree({ phases }: ActiveRun): string | null {
  const first = phases.find(({ firstTree }) => firstTree !== null);
  return first?.bases?.start ?? first?.firstTree ?? null;
}

/** Returns null if the test command is still the trusted one. */
async function commandChanged(engine: Engine, tests: TestCommand): Promise<OtherWay | null> {
  const now = await engine.checks.detectTests(chosenCommands(tests));
  if (now?.command.digest === tests.digest) return null;
  if (now === null) return { text: `The test command ${commandText(tests)} is gone.`, tests: null };
  const text = [
    "The project no longer runs the tests as it did when they were trusted, so they were not run.",
    `Trusted: ${commandText(tests)}`,
    ...testsInFull(now),
  ].join("\n");
  return { text, tests: now.command };
}

const commandText = (tests: TestCommand): string => `${testCommandText(tests)} (${tests.source})`;

/** Returns null if every test file from before the phase still exists, possibly in another folder. */
async function testsDeleted(engine: Engine, { run, phase, tree }: CheckedPhase): Promise<string | null> {
  const changes = await engine.workspace.diff(phase.firstTree, tree);
  if (changes === null && phase.firstTree !== null)
    return "Cannot check for deleted tests: the snapshot from before the phase is missing.";
  const tests = (changes ?? []).filter(({ path }) => isTest(run, path));
  const added = new Set(tests.filter(({ change }) => change === "added").map(({ path }) => fileName(path)));
  const deleted = tests.filter(({ path, change }) => change === "deleted" && !added.has(fileName(path)));
  return deleted.length === 0 ? null : `Tests were deleted: ${named(deleted)}.`;
}

/** Reports moved tests, because the test runner may not look in the new folder. */
function testsMoved(run: ActiveRun, changes: readonly FileChange[]): string | null {
  const added = new Map(changes.filter(({ change }) => change === "added").map(({ path }) => [fileName(path), path]));
  const moved = changes.flatMap(({ path, change }) => {
    const to = change === "deleted" && isTest(run, path) ? added.get(fileName(path)) : undefined;
    return to === undefined ? [] : [`${path} to ${to}`];
  });
  return moved.length === 0 ? null : `Tests were moved: ${shortList(moved)}.`;
}

function toolsReplaced(changes: readonly FileChange[]): string | null {
  const standIns = changes.filter(({ path, change }) => change !== "deleted" && standsInForTool(path));
  return standIns.length === 0 ? null : `Project files replace tools that run the tests: ${named(standIns)}.`;
}

type Old = CheckedPhase & { readonly changes: readonly FileChange[] };

/** Runs the tests from before the run on the new code. Returns null if the tests are unchanged, or did not fail. */
async function oldTests(engine: Engine, { run, tree, changes }: Old, signal: AbortSignal): Promise<string | null> {
  const before = startTree(run);
  const paths = changes.filter(({ path, change }) => change !== "added" && isPartOfTests(run, path));
  const added = changes.filter(({ path, change }) => change === "added" && standsInForTool(path));
  if (before === null || run.tests === null || paths.length + added.length === 0) return null;
  engine.show({ at: "says", step: "check", attempt: null, text: "the tests as they were before", usage: null });
  const earlier = {
    tree: before,
    paths: paths.map(({ path }) => path),
    without: added.map(({ path }) => path),
  };
  const result = await engine.checks.runTests({ command: run.tests, tree, earlier }, signal);
  if (result.ok !== false) return null;
  const [first = "", ...rest] = result.detail.split("\n");
  const shown = rest.slice(-MAX_COMPARISON_LINES).map((line) => `  ${line}`);
  return [
    `The old tests fail on the new code (${named([...paths, ...added])} as before the run): ${first}`,
    ...shown,
  ].join("\n");
}

const MAX_COMPARISON_LINES = 8;

/** Test, named file or test configuration, except manifests: the new code may need packages from the new manifest. */
const isPartOfTests = (run: ActiveRun, path: string): boolean =>
  isTest(run, path) || isNamed(run, path) || decidesTests(path) === "runner";

/** File of the project named by the trusted command, as in `node run-tests.mjs`. */
const isNamed = ({ tests }: ActiveRun, path: string): boolean =>
  tests !== null &&
  [...tests.argv, ...tests.source.split(/[\s"'=]+/)].some((word) => word.replace(/^\.\//, "") === path);

type Earlier = { readonly events: readonly RunEvent[]; readonly run: ActiveRun };

/**
 * Returns null if no fewer tests pass than in the last passed check of this run, or in the baseline if there is none.
 */
function fewerTests({ events, run }: Earlier, now: TestCounts | undefined): string | null {
  const passed = events
    .flatMap((event) => (event.type === "checks.passed" ? event.results : []))
    .findLast(({ name, counts }) => name === "tests" && counts !== undefined)?.counts;
  const before = passed ?? run.baseline?.result.counts;
  if (before === undefined || now === undefined || now.passed >= before.passed) return null;
  const when = passed === undefined ? "before the run" : "before in this run";
  return `Fewer tests pass than ${when}: ${before.passed}, now ${now.passed} (${now.skipped} skipped).`;
}

/**
 * Reports changed files that git ignores but tests read: packages, local programs, settings. Only a note if a manifest
 * changed.
 */
async function surroundingsChanged(engine: Engine): Promise<string | null> {
  const changed = await engine.checks.changedSurroundings();
  if (changed === null || changed.length === 0) return null;
  return `Ignored files that tests read have changed since the run started: ${shortList(changed)}.`;
}

function listNotes(run: ActiveRun, changes: readonly FileChange[]): readonly string[] {
  const weakened = changes.filter(({ path, change }) => change !== "added" && isTest(run, path));
  const deciding = changes.filter(
    ({ path }) => !isTest(run, path) && (isNamed(run, path) || decidesTests(path) !== null),
  );
  return [
    ...(weakened.length === 0 ? [] : [`Tests of before the run were changed: ${named(weakened)}.`]),
    ...(deciding.length === 0 ? [] : [`Files that decide how tests run were changed: ${named(deciding)}.`]),
  ];
}

const MAX_NAMED_FAILURES = 10;

const named = (changes: readonly FileChange[]): string => shortList(changes.map(({ path }) => path));

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED_FAILURES).join(", ");
  return names.length > MAX_NAMED_FAILURES ? `${shown} and ${names.length - MAX_NAMED_FAILURES} more` : shown;
}

/** True if the user has seen this draft and accepted its tests. */
const isAccepted = (events: readonly RunEvent[]): boolean =>
  events.findLast(({ type }) => type === "tests.accepted" || type === "draft.produced")?.type === "tests.accepted";

/** A test found elsewhere under the same name was moved. */
const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const isTest = ({ run }: ActiveRun, path: string): boolean =>
  !path.startsWith(`${run.item}/`) && mayWrite({ writes: "tests" }, run.item, path);
