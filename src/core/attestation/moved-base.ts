import type { CommitId } from "../../schema/ids.ts";
import type { Policy } from "../../schema/policy.ts";
import type { CoveredCommit, Coverage } from "./coverage.ts";
import type { SignedLanding } from "./signed-statement.ts";
import { type RunIndex, runsBroughtIn, type UsableRun } from "./usable-runs.ts";

export type MovedBaseFacts = {
  readonly policy: Policy;
  readonly index: RunIndex;
  readonly landings: readonly SignedLanding[];
  /** Digests of statements that agree about a run, by the digest of its usable statement. */
  readonly digests: ReadonlyMap<string, readonly string[]>;
};

/** Applies the rule `movedBase` to merges and landings whose own tree was not approved. */
export function applyMovedBase(commits: readonly CoveredCommit[], facts: MovedBaseFacts): CoveredCommit[] {
  const rule = facts.policy.movedBase;
  if (rule === "merge") return [...commits];
  return commits.map((covered) => {
    const { coverage } = covered;
    const isMoved = coverage.by === "merge" ? coverage.isMoved : coverage.by === "landing" && coverage.landing.isMoved;
    if (!isMoved) return covered;
    if (rule === "never") return { ...covered, coverage: moved("MOVED_BASE", "the base has moved on since") };
    return isCarried(covered, facts)
      ? covered
      : { ...covered, coverage: moved("NOT_CARRIED", "no landing statement with passed checks for this base") };
  });
}

const moved = (code: "MOVED_BASE" | "NOT_CARRIED", detail: string): Coverage => ({ by: null, code, detail });

function isCarried({ commit, coverage }: CoveredCommit, facts: MovedBaseFacts): boolean {
  if (coverage.by === "landing") {
    const { base, commits, run } = coverage.landing;
    return hasLandingStatement(facts, run, { base, result: commits.at(-1) ?? "" });
  }
  const [base = ""] = commit.parents;
  return runsBroughtIn(facts.index, commit.parents).every((run) =>
    hasLandingStatement(facts, run, { base, result: commit.commit }),
  );
}

type LandedCommits = { readonly base: CommitId; readonly result: CommitId };

function hasLandingStatement(facts: MovedBaseFacts, { signed, run }: UsableRun, ends: LandedCommits): boolean {
  const { history } = facts.index;
  const digests = facts.digests.get(signed.digest) ?? [];
  const isPoint = ({ commit, tree }: { commit: string; tree: string }, expected: CommitId): boolean =>
    commit === expected && history.find(expected)?.tree === tree;
  return facts.landings.some(
    ({ statement: { predicate }, signers }) =>
      isPermitted(facts, signers, ends.result) &&
      predicate.run === run &&
      digests.includes(predicate.statement) &&
      isPoint(predicate.base, ends.base) &&
      isPoint(predicate.result, ends.result) &&
      predicate.checks.length > 0 &&
      predicate.checks.every(({ ok }) => ok === true),
  );
}

function isPermitted(
  { policy, index: { history } }: MovedBaseFacts,
  signers: SignedLanding["signers"],
  result: CommitId,
) {
  const { people, servers, revokedSigners } = policy;
  return signers.some(
    ({ signer, keyid }) =>
      (people?.includes(signer) !== false || servers.includes(signer)) &&
      revokedSigners.every(({ key, lastCommit }) => key !== keyid || history.isAncestor(result, lastCommit)),
  );
}
