import type { Outcome } from "../../core/command.ts";
import { isWorthRepeating, withFlaky } from "../../core/flaky-tests.ts";
import { testCommandText } from "../../core/test-command.ts";
import type { Engine, Task } from "../engine.ts";
import { adoptedFrom } from "./adopted-work.ts";

/** Runs the trusted tests before any agent may write, to compare later failures with the result. */
export async function measureBaseline(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Outcome | null> {
  if (run.stage.is !== "baselining") return null;
  if (run.tests === null) return { of: "baseline", result: null };
  const text = `${testCommandText(run.tests)}, before anything is changed`;
  engine.show({ at: "says", step: "baseline", attempt: null, text, usage: null });
  const command = run.tests;
  const start = adoptedFrom(run);
  if (start !== null) {
    // `earlier` prevents a run in the working tree, which has the adopted changes.
    const earlier = { tree: start, paths: [] };
    const { notStarted: _notStarted, ...result } = await engine.checks.runTests(
      { command, tree: start, earlier },
      signal,
    );
    return { of: "baseline", result: { ...result, detail: engine.redact(result.detail) } };
  }
  const tree = await engine.workspace.snapshot("baseline", []);
  const measure = (reuses: boolean) => engine.checks.runTests({ command, tree, reuses }, signal);
  const first = await measure(true);
  const result = isWorthRepeating(first) ? withFlaky(first, await measure(false)) : first;
  return { of: "baseline", result: { ...result, detail: engine.redact(result.detail) } };
}
