import type { AttestedGate, RunStatement } from "../../schema/attestation.ts";
import type { AttemptId, CommitId, RunId, TreeId } from "../../schema/ids.ts";
import { agentOf } from "./agent-marks.ts";
import type { SeenCommit } from "./seen-commit.ts";

export type Signer = { readonly signer: string; readonly keyid: string };

/** An answer to a gate that was signed with a passkey of somebody on the list. */
export type GateSigner = Signer & Pick<AttestedGate, "wait" | "decision">;

/** A statement that was believed, and who vouches for it. */
export type SignedStatement = {
  readonly statement: RunStatement;
  /** The statement as it was signed. */
  readonly text: string;
  readonly signers: readonly Signer[];
  readonly gateSigners: readonly GateSigner[];
};

/** What was noted for a commit or tree and not believed. */
export type RefusedStatement = {
  readonly object: string;
  readonly why: string;
  /** The run it says it is about; null where it cannot be read. */
  readonly run: RunId | null;
};

export type Coverage =
  /** Named by a statement. */
  | { readonly by: "commit"; readonly run: RunId; readonly attempt: AttemptId }
  /** Another commit that makes the same change from the same tree: squashed or rebased. */
  | { readonly by: "tree"; readonly run: RunId; readonly attempt: AttemptId }
  /** A merge that adds nothing to what it merges. */
  | { readonly by: "merge" }
  | { readonly by: null; readonly why: Uncovered; readonly detail: string };

/** What an uncovered commit is. `person`: nothing says otherwise. */
export type Uncovered = "refused" | "changed" | "beside" | "unsigned" | "agent" | "person";

export type CoveredCommit = { readonly commit: SeenCommit; readonly coverage: Coverage };

export type CoverageFacts = {
  readonly commits: readonly SeenCommit[];
  /** Trees of commits that the range builds on, by commit. */
  readonly trees: ReadonlyMap<string, string>;
  readonly statements: readonly SignedStatement[];
  readonly refused: readonly RefusedStatement[];
  /** Merges whose tree is what git makes of their parents. */
  readonly plainMerges: ReadonlySet<string>;
};

/** Says of every commit of a range whether somebody vouches for it, and if not, what it is. */
export function coverageOf(facts: CoverageFacts): CoveredCommit[] {
  const trees = new Map([...facts.trees, ...facts.commits.map(({ commit, tree }) => [commit, tree] as const)]);
  const index = indexOf(facts.statements);
  return facts.commits.map((commit) => ({
    commit,
    coverage:
      byCommit(commit, index) ??
      byTree(commit, { index, before: trees.get(commit.parents[0] ?? "") }) ??
      (facts.plainMerges.has(commit.commit) ? { by: "merge" as const } : uncovered(commit, facts, index)),
  }));
}

type Named = { readonly run: RunId; readonly attempt: AttemptId };
type Index = {
  readonly commits: ReadonlyMap<CommitId, Named & { readonly tree: TreeId }>;
  /** By the tree before a change and the tree after it. */
  readonly changes: ReadonlyMap<string, Named>;
  readonly attempts: ReadonlyMap<string, string>;
  readonly others: ReadonlyMap<string, string>;
};

function indexOf(statements: readonly SignedStatement[]): Index {
  const commits = new Map<CommitId, Named & { tree: TreeId }>();
  const changes = new Map<string, Named>();
  const attempts = new Map<string, string>();
  const others = new Map<string, string>();
  for (const { statement } of statements) {
    const { run, git } = statement.predicate;
    let before = git.start.tree;
    for (const { name, digest } of statement.subject) {
      commits.set(digest.gitCommit, { run, attempt: name, tree: digest.gitTree });
      if (before !== digest.gitTree) changes.set(`${before} ${digest.gitTree}`, { run, attempt: name });
      attempts.set(name, digest.gitCommit);
      before = digest.gitTree;
    }
    if (before !== git.start.tree) changes.set(`${git.start.tree} ${before}`, { run, attempt: "all" });
    for (const { commit } of git.others) others.set(commit, run);
  }
  return { commits, changes, attempts, others };
}

function byCommit({ commit, tree }: SeenCommit, { commits }: Index): Coverage | null {
  const named = commits.get(commit);
  return named?.tree === tree ? { by: "commit", run: named.run, attempt: named.attempt } : null;
}

/** The same tree alone would let anybody take the code back to what was approved once. */
function byTree(
  { tree }: SeenCommit,
  { index, before }: { index: Index; before: string | undefined },
): Coverage | null {
  const named = before === undefined ? undefined : index.changes.get(`${before} ${tree}`);
  return named === undefined ? null : { by: "tree", run: named.run, attempt: named.attempt };
}

function uncovered(commit: SeenCommit, { refused }: CoverageFacts, index: Index): Coverage {
  const because = (why: Uncovered, detail: string): Coverage => ({ by: null, why, detail });
  const bad = refused.find(({ object }) => object === commit.commit);
  if (bad !== undefined) return because("refused", `its statement is not believed: ${bad.why}`);
  const originals = commit.attempts.flatMap((attempt) => index.attempts.get(attempt) ?? []);
  if (originals.length > 1)
    return because("changed", `a squash of ${listed(originals)}, with another tree than those made`);
  if (originals.length === 1)
    return because("changed", `amended or rebased: ${listed(originals)} was approved, and this is not that`);
  const beside = index.others.get(commit.commit);
  if (beside !== undefined) return because("beside", `made on the branch of run ${beside}, and not by it`);
  if (commit.attempts.length > 0)
    return because("unsigned", `says it is of ${commit.attempts.join(", ")}, and no statement vouches for that`);
  const agent = agentOf(commit);
  return agent === null
    ? because("person", "no statement; nothing says that an agent made it")
    : because("agent", `made by ${agent} outside of a run`);
}

const listed = (commits: readonly string[]): string => commits.map((commit) => commit.slice(0, 12)).join(", ");

export const isCovered = ({ coverage }: CoveredCommit): boolean => coverage.by !== null;
