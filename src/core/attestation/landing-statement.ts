import { LANDING_TYPE, type LandingStatement, type RunStatement, STATEMENT_TYPE } from "../../schema/attestation.ts";
import type { BranchMerge } from "./statement.ts";
import { lastAccepted } from "./usable-runs.ts";

export type LandingFacts = {
  readonly statement: RunStatement;
  /** SHA-256 of the payload of the run's statement, in hexadecimal digits. */
  readonly digest: string;
  readonly merge: BranchMerge;
  /** User who chose the finish. Null: the engine, without a question. */
  readonly mergedBy: string | null;
};

/**
 * Builds the statement about a merge or squash made by isdlc. It names checks only if they ran on exactly the merged
 * tree: isdlc runs none after a merge.
 */
export function buildLanding({ statement, digest, merge, mergedBy }: LandingFacts): LandingStatement {
  const { predicate } = statement;
  const { run, isdlc, signedAt, endedAt } = predicate;
  const { base, result, parents } = merge;
  const accepted = lastAccepted(predicate);
  const subject = [{ name: `${run}/landing`, digest: { gitCommit: result.commit, gitTree: result.tree } }];
  return {
    _type: STATEMENT_TYPE,
    subject,
    predicateType: LANDING_TYPE,
    predicate: {
      isdlc,
      run,
      statement: digest,
      base,
      result,
      method: parents > 1 ? "merge" : "squash",
      checks: accepted?.tree === result.tree ? accepted.checks : [],
      mergedBy: mergedBy === null ? null : { name: mergedBy },
      landedAt: endedAt ?? signedAt,
      signedAt,
    },
  };
}
