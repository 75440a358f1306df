import type { CommitId, TreeId } from "../../schema/ids.ts";
import { findAgentMark } from "./agent-marks.ts";
import { type BranchWalks, createBranchWalks } from "./branch-walk.ts";
import { bringsBack, findLanding, type Landing, oldestFirst } from "./landings.ts";
import { type QuestionSequence, askMerge } from "./question.ts";
import type { RefusedStatement } from "./signed-statement.ts";
import { type RunIndex, runsBroughtIn, type UsableRun } from "./usable-runs.ts";
import { type CommitCode, LINE_CODES } from "./verification-codes.ts";
import type { SeenCommit } from "./history.ts";

export type Coverage =
  /** Made by a sound run whose last state is `head` or an ancestor of it. */
  | { readonly by: "state"; readonly runs: readonly UsableRun[] }
  /** A squash or rebase of a run. */
  | { readonly by: "landing"; readonly landing: Landing }
  /** A merge that adds nothing to its parents. */
  | { readonly by: "merge"; readonly isMoved: boolean }
  | { readonly by: null; readonly code: CommitCode; readonly detail: string };

export type CoveredCommit = { readonly commit: SeenCommit; readonly coverage: Coverage };

export type CoverageFacts = {
  /** Commit the range is merged into. Null without one. */
  readonly base: CommitId | null;
  /** Last commit of the range. */
  readonly head: CommitId;
  readonly commits: readonly SeenCommit[];
  readonly index: RunIndex;
  readonly refused: readonly RefusedStatement[];
};

type CoverageContext = CoverageFacts & {
  readonly walks: BranchWalks;
  readonly range: ReadonlyMap<CommitId, SeenCommit>;
  /** Landings, by each of their commits. */
  readonly landings: Map<CommitId, Landing>;
};

/** Determines the coverage of each commit in a range, parents first. */
export function* coverCommits(facts: CoverageFacts): QuestionSequence<CoveredCommit[]> {
  const range = new Map(facts.commits.map((commit) => [commit.commit, commit]));
  const context: CoverageContext = { ...facts, range, walks: createBranchWalks(facts.index), landings: new Map() };
  const found = new Map<CommitId, Coverage>();
  for (const id of oldestFirst(facts.index, new Set(range.keys()))) {
    const commit = range.get(id);
    if (commit !== undefined) found.set(id, yield* coverCommit(context, commit));
  }
  return [...found].flatMap(([id, coverage]) => {
    const commit = range.get(id);
    const landing = context.landings.get(id);
    // The first commits of a rebase are recognized only with its last commit.
    return commit === undefined ? [] : [{ commit, coverage: landing === undefined ? coverage : byLanding(landing) }];
  });
}

const byLanding = (landing: Landing): Coverage => ({ by: "landing", landing });
export const isCovered = ({ coverage }: CoveredCommit): boolean => coverage.by !== null;
const uncovered = (code: CommitCode, detail: string): Coverage => ({ by: null, code, detail });

function coverCommit(context: CoverageContext, commit: SeenCommit): QuestionSequence<Coverage> {
  return commit.parents.length > 1 ? coverMerge(context, commit) : coverSingle(context, commit);
}

function* coverMerge({ index, walks }: CoverageContext, { tree, parents }: SeenCommit): QuestionSequence<Coverage> {
  const [first = "", second = "", ...more] = parents;
  if (more.length > 0) return uncovered("OCTOPUS", "a merge of more than two commits");
  const answer = yield* askMerge(first, second, tree);
  if (answer.is === "unknown") return uncovered("OBJECTS_MISSING", "objects are missing to check this merge");
  if (answer.is === "conflict") return uncovered("MERGE_CONFLICT", "a merge of commits that conflict");
  if (answer.tree !== tree) return uncovered("MERGE_DIFFERS", "a merge that adds something to its parents");
  // A branch that merges the base brings back the same as a base that merges the branch.
  for (const [base, tip] of [
    [first, second],
    [second, first],
  ] as const)
    for (const run of runsBroughtIn(index, [base, tip]))
      if (yield* bringsBack({ index, walks }, run, { base, tip }))
        return uncovered("LANDED_BEFORE", LANDING_REASONS.LANDED_BEFORE(run.run));
  const isMoved = parents.every((parent) => index.history.find(parent)?.tree !== tree);
  return { by: "merge", isMoved };
}

function* coverSingle(context: CoverageContext, commit: SeenCommit): QuestionSequence<Coverage> {
  const { index, head, range, landings } = context;
  const isState = (id: CommitId): boolean => index.soundRuns(id, head).length > 0;
  const runs = index.soundRuns(commit.commit, head);
  if (runs.length > 0) return yield* coverState(context, runs);
  const [unused] = index.withState(commit.commit);
  if (unused !== undefined) return unusedState(unused);
  const mayLand = (id: CommitId): boolean => range.get(id)?.parents.length === 1 && !isState(id) && !landings.has(id);
  const outcome = yield* findLanding({ index, walks: context.walks, mayLand }, commit.commit);
  if (outcome.is === "landing") {
    for (const id of outcome.landing.commits) landings.set(id, outcome.landing);
    return byLanding(outcome.landing);
  }
  if (outcome.is === "refused") return uncovered(outcome.code, LANDING_REASONS[outcome.code](outcome.run.run));
  return superseded(context, commit) ?? refusedStatement(context, commit) ?? unstated(context, commit);
}

function* coverState(
  { index, walks, base, head }: CoverageContext,
  runs: readonly UsableRun[],
): QuestionSequence<Coverage> {
  for (const run of base === null ? [] : runs)
    if (yield* bringsBack({ index, walks }, run, { base: base ?? "", tip: head }))
      return uncovered("LANDED_BEFORE", LANDING_REASONS.LANDED_BEFORE(run.run));
  return { by: "state", runs };
}

function unusedState({ isSound, run, last }: UsableRun): Coverage {
  if (isSound === null)
    return uncovered("OBJECTS_MISSING", `objects are missing to check the last state of run ${run}`);
  return isSound
    ? uncovered(
        "RUN_CUT_OFF",
        `the last commit of run ${run}, ${last.commit.slice(0, 12)}, is not part of this history`,
      )
    : uncovered("STATE_NOT_APPROVED", `the last state of run ${run} is not approved`);
}

const LANDING_REASONS = {
  FOREIGN_COMMITS: (run: string) => `lands commits together with run ${run} that are not part of it`,
  LANDED_BEFORE: (run: string) => `lands run ${run} again; it landed before`,
} as const;

function superseded({ index }: CoverageContext, { tree, parents }: SeenCommit): Coverage | null {
  const before: TreeId | undefined = index.history.find(parents[0] ?? "")?.tree;
  const run =
    before === tree ? undefined : index.runs.find(({ states }) => states.some((state) => state.tree === tree));
  if (run === undefined) return null;
  return uncovered("SUPERSEDED_STATE", `has the files of a state of run ${run.run}, but does not land the run`);
}

function refusedStatement({ refused }: CoverageContext, { commit }: SeenCommit): Coverage | null {
  const [first] = refused
    .filter(({ commits }) => commits.includes(commit))
    .toSorted((one, other) => LINE_CODES.indexOf(one.code) - LINE_CODES.indexOf(other.code));
  return first === undefined ? null : uncovered(first.code, `its statement does not count: ${first.why}`);
}

function unstated({ index: { runs } }: CoverageContext, commit: SeenCommit): Coverage {
  const names = new Set(commit.attempts);
  const original = runs.find(({ signed }) => signed.statement.subject.some(({ name }) => names.has(name)));
  if (original !== undefined)
    return uncovered("CHANGED", `amended, rebased or squashed: run ${original.run} was approved, and this differs`);
  const other = runs.find(({ signed }) =>
    signed.statement.predicate.git.others.some((point) => point.commit === commit.commit),
  );
  if (other !== undefined) return uncovered("NOT_BY_RUN", `made on the branch of run ${other.run}, and not by it`);
  const [attempt] = commit.attempts;
  if (attempt !== undefined) return uncovered("UNSIGNED", `names the attempt ${attempt}, and no statement covers it`);
  const agent = findAgentMark(commit);
  return agent === null
    ? uncovered("BY_HAND", "no statement, and no mark of an agent")
    : uncovered("AGENT", `made by ${agent} outside of a run`);
}
