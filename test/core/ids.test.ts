import { expect, expectTypeOf, test } from "vitest";
import type { PersonCommand, Report } from "../../src/core/command.ts";
import type { ActiveRun, Wait } from "../../src/core/run.ts";
import type { CommitRequest } from "../../src/ports/vcs.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { CommitId, ExecutionId, RunId, Ticket, TreeId, WaitId } from "../../src/schema/ids.ts";
import { isRunId, treeAt } from "../../src/schema/ids.ts";

type Kinds = { run: RunId; wait: WaitId; ticket: Ticket; execution: ExecutionId; commit: CommitId; tree: TreeId };
/** The kinds assignable to `Kind`. */
type Fitting<Kind extends keyof Kinds> = {
  [Other in keyof Kinds]: Kinds[Other] extends Kinds[Kind] ? Other : never;
}[keyof Kinds];

test("accepts an id only as its own kind", () => {
  expectTypeOf<{ [Kind in keyof Kinds]: Fitting<Kind> }>().toEqualTypeOf<{ [Kind in keyof Kinds]: Kind }>();
  const commit: CommitId = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  // @ts-expect-error a commit is no tree
  const tree: TreeId = commit;
  expect(treeAt(commit)).toBe(tree);
});

test("accepts typed and parsed text as an id", () => {
  const typed = "20261115-101500123-k3f9";
  const run: RunId = typed;
  expect(isRunId(run)).toBe(true);
});

test("declares distinct id types in state, commands, events and ports", () => {
  expectTypeOf<ActiveRun["tip"]>().toEqualTypeOf<CommitId | null>();
  expectTypeOf<Wait["id"]>().toEqualTypeOf<WaitId>();
  expectTypeOf<Report["ticket"]>().toEqualTypeOf<Ticket>();
  expectTypeOf<Extract<PersonCommand, { do: "finish" }>["wait"]>().toEqualTypeOf<WaitId>();
  expectTypeOf<Extract<EventDraft, { type: "run.started" }>["run"]>().toEqualTypeOf<RunId>();
  expectTypeOf<Extract<EventDraft, { type: "execution.ended" }>["execution"]>().toEqualTypeOf<ExecutionId>();
  expectTypeOf<Extract<EventDraft, { type: "phase.rechecked" }>["tree"]>().toEqualTypeOf<TreeId | null>();
  expectTypeOf<CommitRequest["parent"]>().toEqualTypeOf<CommitId | null>();
  expectTypeOf<Parameters<Workspace["restore"]>[0]>().toEqualTypeOf<TreeId>();
});
