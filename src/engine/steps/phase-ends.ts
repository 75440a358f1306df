import type { Outcome } from "../../core/command.ts";
import { adoptedFailures } from "../../core/adoption.ts";
import { draftOutput, whenAccepted } from "../../core/evolve/when-accepted.ts";
import { lastReviewedTree } from "../../core/changes/last-reviewed-tree.ts";
import { isAdopted } from "../../core/adoption.ts";
import { listToRead } from "../list-to-read.ts";
import { mayWrite } from "../../core/plan.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import { unmentionedFiles, writesCode } from "../../core/changes/unmentioned.ts";
import type { FileChange, PhaseOutput, ReturnBases } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine, Task } from "../engine.ts";
import { foreignRecord, takeBackRecord } from "./feature-record.ts";
import { movedPaths, readRepositoryStanding, scanForGate, verifyObjects } from "./standing.ts";
import { isBookkeeping } from "../../core/items/item-meta.ts";
import { adoptedBases } from "./adopted-work.ts";
import { returnBases } from "./going-back.ts";

/** Records the tree before an attempt changes it. */
export async function enterPhase(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  engine.projections.makeFolder(run.run.item);
  if (run.tests !== null) await engine.checks.rememberSurroundings();
  await engine.gitPrograms.remember();
  if (phase.attempts === 0) await engine.traces.accept();
  const tree = await engine.workspace.snapshot(`${phase.rule.key}-${phase.attempts + 1}-start`, [run.run.item]);
  const bases =
    tree === null ? null : (firstAdoption(run, phase, tree) ?? (await returnBases(engine, run, { phase, tree })));
  const standing = await readRepositoryStanding(engine, run);
  const commit = standing === undefined ? await engine.head() : standing.tip;
  const found = { ...(standing === undefined ? {} : { standing }), ...(bases === null ? {} : { bases }) };
  return { of: "enter", commit, tree, ...found };
}

/** Later attempts keep the bases of the first one. */
const firstAdoption = (run: ActiveRun, { bases }: PhaseRecord, tree: TreeId): ReturnBases | null =>
  bases === null ? adoptedBases(run, tree) : null;

/** Collects the actual output of the phase, and the current settings. */
export async function completePhase(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "completing" || phase === undefined) return null;
  const found = await takeBackRecord(engine, run);
  const { workspace, projections, hash } = engine;
  const { draft } = run.stage;
  const name = `${phase.rule.key}-${phase.attempts}`;
  const agents = await workspace.snapshot(name, [run.run.item]);
  const changedByAgents = await workspace.diff(phase.firstTree, agents);
  await verifyObjects(engine, { from: phase.firstTree, tree: agents, changed: changedByAgents });
  const accepted = whenAccepted(run, {
    made: { ...NOTHING_FOUND, ...draftOutput(draft) },
    failures: adoptedFailures(draft),
  });
  const { tree, mixed = [], ...beside } = await scanForGate(engine, run, { name, accepted });
  const changed = tree === agents ? changedByAgents : await workspace.diff(phase.firstTree, tree);
  const seen = lastReviewedTree(run);
  const sinceSeen = seen === phase.firstTree ? changed : await workspace.diff(seen, tree);
  const changedSinceSeen = JSON.stringify(sinceSeen) === JSON.stringify(changed) ? null : sinceSeen;
  const toRead = await listToRead(engine, run, { changes: changedSinceSeen ?? changed ?? [], tree });
  const [foreign, programs, lines] = await Promise.all([
    foreignRecord(engine, run, { found, tree }),
    engine.gitPrograms.added(),
    workspace.lines(seen, tree, toRead),
  ]);
  const outside = [
    ...unexpected(run, phase, changed),
    ...movedPaths(run, phase, beside.standing),
    ...foreign,
    ...programs,
  ];
  const made = {
    artifacts: listArtifacts(run, draft.artifacts, changed),
    changed: changed === null ? null : [...changed],
    changedSinceSeen: changedSinceSeen === null ? null : [...changedSinceSeen],
    unexpected: [...new Set([...outside, ...draft.written])],
    ...unmentioned(run, phase, changed),
    tree,
    ...beside,
    lines,
  };
  const settings = projections.settings();
  return { of: "complete", made, settings, mixed, digest: hash(JSON.stringify({ draft, made })) };
}

/** Facts about files do not change the documents of an accepted phase. */
const NOTHING_FOUND = { changed: null, changedSinceSeen: null, unexpected: [], tree: null, lines: 0 };

function unmentioned(
  run: ActiveRun,
  phase: PhaseRecord,
  changed: readonly FileChange[] | null,
): Pick<PhaseOutput, "unmentioned"> {
  if (run.stage.is !== "completing" || phase.rule.judged === true || !writesCode(phase)) return {};
  if (isAdopted(run.stage.draft)) return {}; // no agent claims it
  const files = unmentionedFiles(run, run.stage.draft, changed);
  return files.length === 0 ? {} : { unmentioned: files };
}

/**
 * Returns the artifacts named by the agent, already checked; if it named none, new and changed files in the item's
 * folder.
 */
function listArtifacts(run: ActiveRun, named: readonly string[], changed: readonly FileChange[] | null): string[] {
  if (named.length > 0) return named.filter((path) => !isBookkeeping(path));
  const folder = `${run.run.item}/`;
  return (changed ?? [])
    .filter(({ path, change }) => path.startsWith(folder) && change !== "deleted" && !isBookkeeping(path))
    .map(({ path }) => path);
}

/** Lists writes outside the phase's rule. A missing snapshot was deleted by someone and is listed, too. */
function unexpected(run: ActiveRun, phase: PhaseRecord, changed: readonly FileChange[] | null): string[] {
  if (changed === null && phase.firstTree !== null) return [".git/refs/isdlc"];
  return (changed ?? []).map(({ path }) => path).filter((path) => !mayWrite(phase.rule, run.run.item, path));
}
