import type { CommitId } from "../../schema/ids.ts";
import type { Policy } from "../../schema/policy.ts";
import { coverCommits, type CoveredCommit } from "./coverage.ts";
import { type CommitMap, createHistory, type SeenCommit } from "./history.ts";
import { applyMovedBase } from "./moved-base.ts";
import { findViolations, type Violation } from "./policy.ts";
import type { QuestionSequence } from "./question.ts";
import { selectStatements } from "./select-statements.ts";
import type { RefusedStatement, SignedLanding, SignedStatement } from "./signed-statement.ts";
import { indexRuns } from "./usable-runs.ts";

export type VerificationFacts = {
  readonly policy: Policy;
  /** Commit the range is merged into. Null without one. */
  readonly base: CommitId | null;
  /** Last commit of the range. */
  readonly head: CommitId;
  readonly commits: readonly SeenCommit[];
  /** Ancestors of the head, of the base down to the range, and of commits in statements if the repository has them. */
  readonly history: CommitMap;
  readonly statements: readonly SignedStatement[];
  readonly landings: readonly SignedLanding[];
  /** Lines refused earlier. */
  readonly refused: readonly RefusedStatement[];
};

export type Verification = {
  /** Parents first. */
  readonly commits: readonly CoveredCommit[];
  /** One per run, by the start of the run. */
  readonly statements: readonly SignedStatement[];
  readonly refused: readonly RefusedStatement[];
  readonly violations: readonly Violation[];
};

/** Verifies a range of commits, from step 3 in docs/attestation.md on. */
export function* verification(facts: VerificationFacts): QuestionSequence<Verification> {
  const { policy, base, head, history, landings } = facts;
  const repository = createHistory(history);
  const selection = selectStatements(facts.statements, { policy, history: repository });
  const refused = [...facts.refused, ...selection.refused];
  const index = yield* indexRuns(selection.usable, history);
  const covered = yield* coverCommits({ base, head, commits: facts.commits, index, refused });
  const commits = applyMovedBase(covered, { policy, index, landings, digests: selection.agreeing });
  const root = policy.repository;
  const violations = yield* findViolations({
    policy,
    commits,
    signers: facts.statements.flatMap(({ signers }) => signers),
    isRepository: root === undefined || (history.get(root)?.parents.length === 0 && repository.isAncestor(root, head)),
  });
  return { commits, statements: selection.usable, refused, violations };
}
