import type { CompletedFacts, Report } from "../../../src/core/command.ts";
import { lastReviewedTree } from "../../../src/core/changes/last-reviewed-tree.ts";
import { mayWrite } from "../../../src/core/plan.ts";
import { type ActiveRun, currentPhase } from "../../../src/core/run.ts";
import type { PhaseOutput } from "../../../src/schema/facts.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { requireProposed } from "./proposed-commit.ts";
import {
  compareInCopy,
  fetchTrees,
  findUnshownChanges,
  type ReportedTrees,
  type UnshownChanges,
  type UnshownQuery,
} from "./unshown-changes.ts";

export type ComparisonContext = Pick<UnshownQuery, "events"> & { readonly copy: RepositoryCopy };

/** Returns true if a report names trees that a gate may show. */
export const namesTrees = ({ outcome }: Report): boolean =>
  !("failed" in outcome) &&
  (outcome.of === "complete" || outcome.of === "recheck" || (outcome.of === "commit" && "differs" in outcome));

/**
 * Replaces the file lists of a report by those of the server's own copy, and adds the files that the commit changes
 * and the gate does not show. @throws ProblemError NOT_ALLOWED if the remote does not have the trees, GIT_FAILED
 */
export async function compareTrees(run: ActiveRun, report: Report, context: ComparisonContext): Promise<Report> {
  const { outcome } = report;
  if ("failed" in outcome) return report;
  if (outcome.of === "complete")
    return { ...report, outcome: { ...outcome, made: await completeFacts(run, outcome.made, context) } };
  if (outcome.of === "recheck") return { ...report, outcome: await withNotices(run, outcome, context) };
  if (outcome.of !== "commit" || !("differs" in outcome)) return report;
  return { ...report, outcome: { ...outcome, differs: await withNotices(run, outcome.differs, context) } };
}

async function completeFacts(run: ActiveRun, made: CompletedFacts, context: ComparisonContext) {
  await requireProposed(context.copy, run, made);
  const unshown = await findUnshownChanges(context.copy, run, { trees: made, events: context.events });
  const listed = await listFiles(run, made, context);
  if (unshown === null || unshown.paths.length === 0) return { ...made, ...listed };
  const notices = [...(made.notices ?? []), ...unshownNotices(run, unshown)];
  return { ...made, ...listed, unshown: [...unshown.paths], notices };
}

type Scan = ReportedTrees & Partial<Pick<PhaseOutput, "notices" | "proposedCommit" | "standing">>;

/** A scan after Continue replaces the notices of the gate. */
async function withNotices<S extends Scan>(run: ActiveRun, scan: S, { copy, events }: ComparisonContext): Promise<S> {
  const shown: Partial<PhaseOutput> = currentPhase(run)?.made ?? {};
  await requireProposed(copy, run, { commitTree: shown.commitTree, standing: shown.standing, ...scan });
  const trees = { commitTree: shown.commitTree, wholeTree: shown.wholeTree, ...scan };
  const unshown = await findUnshownChanges(copy, run, { trees, events });
  if (unshown === null || unshown.paths.length === 0) return scan;
  const known = scan.notices ?? shown.notices ?? [];
  return { ...scan, notices: [...new Set([...known, ...unshownNotices(run, unshown)])] };
}

type FileLists = Pick<PhaseOutput, "changed" | "changedSinceSeen" | "unexpected">;

/** Lists the changed files as an honest worker does. */
async function listFiles(
  run: ActiveRun,
  { tree, unexpected }: CompletedFacts,
  { copy }: ComparisonContext,
): Promise<Partial<FileLists>> {
  const phase = currentPhase(run);
  const seen = lastReviewedTree(run);
  if (phase === undefined || phase.firstTree === null || tree === null) return {};
  await fetchTrees(copy, run, [phase.firstTree, tree, ...(seen === null ? [] : [seen])]);
  const changed = await compareInCopy(copy, run, { from: phase.firstTree, to: tree });
  const sinceSeen =
    seen === null || seen === phase.firstTree ? changed : await compareInCopy(copy, run, { from: seen, to: tree });
  const outside = (changed ?? []).map(({ path }) => path).filter((path) => !mayWrite(phase.rule, run.run.item, path));
  return {
    changed,
    changedSinceSeen: JSON.stringify(sinceSeen) === JSON.stringify(changed) ? null : sinceSeen,
    unexpected: [...new Set([...unexpected, ...outside])],
  };
}

const MAX_NAMED_FILES = 50;

function unshownNotices({ run }: ActiveRun, { paths, from, to }: UnshownChanges): readonly string[] {
  const more = paths.length - MAX_NAMED_FILES;
  return [
    `The commit of this phase contains changes that its diff does not show. Compare them: git fetch origin refs/isdlc/${run.run}/${to} && git diff ${from} ${to}`,
    ...paths.slice(0, MAX_NAMED_FILES).map((path) => `changed in the commit, not in the diff: ${path}`),
    ...(more > 0 ? [`… and ${more} more files`] : []),
  ];
}
