import {
  ADOPTED,
  type AttestedState,
  PREDICATE_TYPE,
  type RunPredicate,
  type RunStatement,
  STATEMENT_TYPE,
} from "../../schema/attestation.ts";
import type { AgentChoice, RunEvent } from "../../schema/event.ts";
import type { CommitId, PhaseKey, TreeId } from "../../schema/ids.ts";
import { addUsage } from "../budget.ts";
import { chosenFinish, type PhaseRecord, type RunState } from "../run.ts";
import {
  approvedTree,
  type Evidence,
  collectEvidence,
  type PhaseEvidence,
  type Portable,
  toActor,
} from "./evidence.ts";

export type GitPoint = { readonly commit: CommitId; readonly tree: TreeId };

/** A commit of the branch, and the attempt it belongs to. */
export type AttestedCommit = GitPoint & { readonly attempt: string; readonly parents: readonly CommitId[] };

/** Facts from the repository about the branch of a run. */
export type BranchFacts = {
  readonly start: GitPoint;
  /** Commits made by the run, oldest first. */
  readonly commits: readonly AttestedCommit[];
  /** Commits on the branch not made by the run. */
  readonly others: readonly GitPoint[];
  /** Null if isdlc did not merge the branch. */
  readonly merge: BranchMerge | null;
};

/** Merge or squash of a run's branch, made by isdlc. */
export type BranchMerge = {
  readonly base: GitPoint;
  readonly result: GitPoint;
  /** Number of parents of the result. */
  readonly parents: number;
};

export type StatementFacts = {
  readonly state: Exclude<RunState, { is: "none" }>;
  readonly events: readonly RunEvent[];
  readonly journal: { readonly seq: number; readonly hash: string };
  readonly branch: BranchFacts;
  readonly signedAt: string;
  /** Version of isdlc. */
  readonly version: string;
  /** SHA-256 of a text, in hexadecimal digits. */
  readonly hash: (text: string) => string;
  readonly portable: Portable;
};

/**
 * Builds a statement about the commits of a run from its journal. It contains no text of an agent, a prompt or a
 * transcript.
 */
export function buildStatement(facts: StatementFacts): RunStatement {
  const subject = facts.branch.commits.map(({ commit, tree, attempt }) => ({
    name: attempt,
    digest: { gitCommit: commit, gitTree: tree },
  }));
  return { _type: STATEMENT_TYPE, subject, predicateType: PREDICATE_TYPE, predicate: buildPredicate(facts) };
}

function buildPredicate(facts: StatementFacts): RunPredicate {
  const { state, events, journal, branch, signedAt, version, hash, portable } = facts;
  const { run } = state;
  const evidence = collectEvidence(events, portable);
  const ended = state.is === "ended" ? state : null;
  return {
    isdlc: version,
    run: run.run,
    workflow: run.workflow,
    plan: hash(JSON.stringify(state.phases.map(({ rule }) => rule))),
    item: run.item,
    options: { mode: run.options.mode, light: run.options.light, commits: run.options.commits },
    supervision: state.supervision,
    startedBy: toActor(run.by),
    startedAt: run.startedAt,
    sealedAt: evidence.sealedAt,
    endedAt: ended?.endedAt ?? null,
    finish: ended === null ? evidence.finish : chosenFinish(ended),
    git: {
      branch: run.git?.branch ?? null,
      base: run.git?.base ?? null,
      start: branch.start,
      others: branch.others.map(({ commit, tree }) => ({ commit, tree })),
    },
    states: branch.commits.map(({ attempt, parents }) => ({ is: stateKind(attempt), parents: [...parents] })),
    ...originOfWork(state),
    tests: evidence.tests === null ? null : { digest: evidence.tests },
    agents: listAgents(state),
    phases: state.phases.map((phase) => toStatementPhase(phase, { evidence, analysed: run.analysed })),
    overruled: [...evidence.overruled],
    usage: state.phases.reduce((sum, { usage }) => addUsage(sum, usage), addUsage(undefined, null)),
    journal: { seq: journal.seq, hash: journal.hash },
    signedAt,
  };
}

/** Nothing is known about the sandbox of a session, and nothing about the authors of adopted work. */
function originOfWork({ run, phases }: StatementFacts["state"]): Pick<RunPredicate, "sandbox" | "adopted"> {
  if (run.git?.adopts !== undefined) return { sandbox: null, adopted: ADOPTED };
  return { sandbox: phases.some(({ bySession }) => bySession === true) ? null : (run.sandbox ?? null) };
}

/** Returns the kind of a commit in its run, by the name of its attempt. */
function stateKind(attempt: string): AttestedState["is"] {
  const name = attempt.slice(attempt.indexOf("/") + 1);
  if (name === "merge" || name === "adopted") return name;
  if (name === "record" || name === "unmerged" || name === "end") return "record";
  return name === "back" || name.startsWith("back-") ? "back" : "phase";
}

type StatementPhase = RunPredicate["phases"][number];
const noEvidence: PhaseEvidence = { reviews: [], gates: [], accepted: null };

type PhaseContext = { readonly evidence: Evidence; readonly analysed: readonly PhaseKey[] };

function toStatementPhase(phase: PhaseRecord, { evidence, analysed }: PhaseContext): StatementPhase {
  const { rule, made } = phase;
  const { reviews, gates, accepted } = evidence.phases.get(rule.key) ?? noEvidence;
  return {
    key: rule.key,
    persona: rule.personaDigest,
    status: toPhaseStatus(phase, analysed),
    attempts: phase.attempts,
    redos: phase.redos,
    executions: phase.executions,
    failedChecks: phase.checkFailures,
    checks: made?.checks.map(({ name, ok, counts = null, ranAs = null }) => ({ name, ok, counts, ranAs })) ?? [],
    ...(made?.reportedBy === undefined ? {} : { reportedBy: [...made.reportedBy] }),
    ...(made?.checkedBy === undefined ? {} : { checkedBy: [...made.checkedBy] }),
    reviews: [...reviews],
    gates: [...gates],
    accepted,
    tree: approvedTree(made),
    commit: phase.commit,
    usage: phase.usage,
  };
}

function toPhaseStatus(
  { rule, dropped, status }: PhaseRecord,
  analysed: readonly PhaseKey[],
): StatementPhase["status"] {
  if (dropped) return "dropped";
  return analysed.includes(rule.key) ? "analysed" : status;
}

function listAgents({ run }: StatementFacts["state"]): RunPredicate["agents"] {
  const told = (role: "phase" | "reviewer", phase: PhaseKey | null, agent: AgentChoice) => ({
    role,
    phase,
    name: agent.name,
    digest: agent.digest,
    model: agent.model ?? null,
    version: agent.version ?? null,
  });
  const each = (role: "phase" | "reviewer", agents: Readonly<Record<PhaseKey, AgentChoice>> = {}) =>
    Object.entries(agents).map(([phase, agent]) => told(role, phase, agent));
  return [
    told("phase", null, run.agent),
    ...each("phase", run.agents),
    told("reviewer", null, run.reviewer ?? run.agent),
    ...each("reviewer", run.reviewers),
  ];
}
