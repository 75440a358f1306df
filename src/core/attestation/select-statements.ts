import type { RunStatement } from "../../schema/attestation.ts";
import type { CommitId } from "../../schema/ids.ts";
import type { Policy } from "../../schema/policy.ts";
import type { History } from "./history.ts";
import { parseInstant } from "./instant.ts";
import type { RefusedStatement, SignedStatement, Signer } from "./signed-statement.ts";
import type { LineCode } from "./verification-codes.ts";
import { lastState, statesIn } from "./usable-runs.ts";

/** Allowed clock difference: a time may be this far in the future. */
export const CLOCK_SKEW_MS = 5 * 60_000;

export type Selection = {
  /** One statement per run, by the start of the run. */
  readonly usable: readonly SignedStatement[];
  /** Digests of statements that agree with a usable one, including its own, by its digest. */
  readonly agreeing: ReadonlyMap<string, readonly string[]>;
  readonly refused: readonly RefusedStatement[];
};

type StatementSelection = { readonly policy: Policy; readonly history: History };

/** Selects the statement that counts for each run. */
export function selectStatements(statements: readonly SignedStatement[], question: StatementSelection): Selection {
  const refused: RefusedStatement[] = [];
  const left = new Map<string, SignedStatement[]>();
  const cancelled = new Set<string>();
  const discarded = new Set<string>();
  for (const signed of joinSigners(statements)) {
    const kept = withoutRevoked(signed, question);
    const code = findLineCode(kept, question);
    const { run, sealedAt } = signed.statement.predicate;
    if (code === "RUN_CANCELLED") cancelled.add(run);
    if (code === "RUN_CANCELLED" && sealedAt === null) discarded.add(run);
    if (code === null) left.set(run, [...(left.get(run) ?? []), kept]);
    else refused.push(toRefused(signed, code));
  }
  const usable: SignedStatement[] = [];
  const agreeing = new Map<string, readonly string[]>();
  for (const [run, all] of left) {
    const chosen = discarded.has(run) ? RUN_DISCARDED : chooseOfRun(all, cancelled.has(run));
    if (chosen.is === "refused") refused.push(...all.map((signed) => toRefused(signed, chosen.code)));
    else {
      usable.push(chosen.signed);
      agreeing.set(chosen.signed.digest, chosen.agreeing);
    }
  }
  return { usable: usable.toSorted(byStart), agreeing, refused };
}

const byStart = ({ statement: { predicate: a } }: SignedStatement, { statement: { predicate: b } }: SignedStatement) =>
  parseInstant(a.startedAt) - parseInstant(b.startedAt) || (a.run < b.run ? -1 : 1);

export function toRefused(
  { statement }: SignedStatement,
  code: LineCode,
  why = REASONS[code] ?? code,
): RefusedStatement {
  const commits = statement.subject.map(({ digest }) => digest.gitCommit);
  return { code, why, run: statement.predicate.run, commits };
}

const REASONS: { readonly [C in LineCode]?: string } = {
  KEY_REVOKED: "its signer's key is revoked",
  SIGNER_NOT_PERMITTED: "its signer is not in the policy's people",
  STATEMENT_UNTRUE: "it contradicts the repository: a commit has another tree, other parents or a later time",
  RUN_CANCELLED: "its run was cancelled or discarded",
  RUN_OPEN: "its run has not ended",
  STATEMENTS_DISAGREE: "statements about its run contradict each other",
};

/** Combines lines with the same payload into one statement with all their signers. */
function joinSigners(statements: readonly SignedStatement[]): SignedStatement[] {
  const byText = new Map<string, SignedStatement>();
  for (const signed of statements) {
    const known = byText.get(signed.text)?.signers ?? [];
    byText.set(signed.text, { ...signed, signers: distinct([...known, ...signed.signers]) });
  }
  return [...byText.values()];
}

/** Sorts signers by name, because the order of lines in a note has no meaning. */
const distinct = (signers: readonly Signer[]): Signer[] =>
  [...new Map(signers.map((one) => [`${one.signer} ${one.keyid}`, one])).entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, signer]) => signer);

function withoutRevoked(signed: SignedStatement, { policy, history }: StatementSelection): SignedStatement {
  const last = lastState(signed.statement);
  const isRevoked = ({ keyid }: Signer): boolean =>
    policy.revokedSigners.some(({ key, lastCommit }) => key === keyid && !isWithin(history, last.commit, lastCommit));
  const signers = signed.signers.filter((signer) => !isRevoked(signer));
  return { ...signed, signers, gateSigners: signed.gateSigners.filter((signer) => !isRevoked(signer)) };
}

/** True like `isAncestor`, but only if the repository has `tip`. */
const isWithin = (history: History, commit: CommitId, tip: CommitId): boolean =>
  history.find(tip) !== undefined && history.isAncestor(commit, tip);

function findLineCode(
  { statement, signers }: SignedStatement,
  { policy, history }: StatementSelection,
): LineCode | null {
  if (signers.length === 0) return "KEY_REVOKED";
  const { people, servers, openRuns } = policy;
  const mayCount = ({ signer }: Signer): boolean => people?.includes(signer) !== false || servers.includes(signer);
  if (!signers.some(mayCount)) return "SIGNER_NOT_PERMITTED";
  if (isUntrue(statement, history)) return "STATEMENT_UNTRUE";
  const { endedAt, sealedAt, finish } = statement.predicate;
  if (endedAt !== null && (finish === null || finish === "discard")) return "RUN_CANCELLED";
  return endedAt === null && sealedAt === null && !openRuns ? "RUN_OPEN" : null;
}

/**
 * True if a named commit differs in the repository: another tree, other parents, or (except for merges) a time after
 * the signature by more than `CLOCK_SKEW_MS`.
 */
function isUntrue({ subject, predicate }: RunStatement, history: History): boolean {
  const latest = parseInstant(predicate.signedAt) + CLOCK_SKEW_MS;
  return subject.some(({ digest }, index) => {
    const commit = history.find(digest.gitCommit);
    const state = predicate.states[index];
    if (commit === undefined || state === undefined) return false;
    if (commit.tree !== digest.gitTree || !areEqual(commit.parents, state.parents)) return true;
    return state.is !== "merge" && commit.committedAt > latest;
  });
}

type StatementChoice =
  | { readonly is: "usable"; readonly signed: SignedStatement; readonly agreeing: readonly string[] }
  | { readonly is: "refused"; readonly code: LineCode };

/** A cancelled run without a seal has no approved result, whatever older statements say. */
const RUN_DISCARDED: StatementChoice = { is: "refused", code: "RUN_CANCELLED" };

function chooseOfRun(all: readonly SignedStatement[], isCancelled: boolean): StatementChoice {
  const isOpen = ({ statement: { predicate } }: SignedStatement) =>
    predicate.endedAt === null && predicate.sealedAt === null;
  const closed = all.filter((signed) => !isOpen(signed)).toSorted(newestFirst);
  const [newest, ...older] = closed;
  if (newest !== undefined)
    return older.every((one) => doAgree(one.statement, newest.statement))
      ? { is: "usable", signed: newest, agreeing: closed.map(({ digest }) => digest) }
      : { is: "refused", code: "STATEMENTS_DISAGREE" };
  const [open] = all.toSorted(newestFirst);
  return open === undefined || isCancelled
    ? { is: "refused", code: "RUN_CANCELLED" }
    : { is: "usable", signed: open, agreeing: [open.digest] };
}

function newestFirst(one: SignedStatement, other: SignedStatement): number {
  const [a, b] = [one.statement.predicate, other.statement.predicate];
  if (a.journal.seq !== b.journal.seq) return b.journal.seq - a.journal.seq;
  return parseInstant(b.signedAt) - parseInstant(a.signedAt) || (one.text > other.text ? -1 : 1);
}

/** True if the newer statement repeats the facts of the older one and adds at most record commits. */
function doAgree(older: RunStatement, newer: RunStatement): boolean {
  const known = statesIn(older);
  const states = statesIn(newer);
  const more = states.slice(known.length);
  return (
    areEqual(listFacts(older), listFacts(newer)) &&
    areEqual(known.map(stateFacts), states.slice(0, known.length).map(stateFacts)) &&
    more.every(({ is }) => is === "record") &&
    areEqual(older.predicate.phases.map(phaseFacts), newer.predicate.phases.map(phaseFacts))
  );
}

const areEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const listFacts = ({ predicate }: RunStatement) => [
  parseInstant(predicate.startedAt),
  predicate.workflow,
  predicate.plan,
  predicate.item,
  predicate.git.start,
];

const stateFacts = ({ name, commit, tree, parents }: ReturnType<typeof statesIn>[number]) => [
  name,
  commit,
  tree,
  parents,
];

const phaseFacts = ({ key, status, accepted, tree, commit, gates }: RunStatement["predicate"]["phases"][number]) => [
  key,
  status,
  accepted,
  tree,
  commit,
  gates,
];
