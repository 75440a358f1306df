import * as z from "zod/mini";
import type { CompletedFacts, Outcome } from "../../../src/core/command.ts";
import { AgentResult, Usage, Verdict } from "../../../src/schema/agent.ts";
import {
  CheckResult,
  Claim,
  FileChange,
  PhaseOutput,
  RepositoryStanding,
  ReturnBases,
  Sizing,
  TestCommand,
} from "../../../src/schema/facts.ts";
import { CommitId, ExecutionId, TreeId } from "../../../src/schema/recorded-ids.ts";
import { decision, fact, type ReportField, verified } from "./report-field.ts";

type Keys<T> = T extends unknown ? keyof T : never;
/** All fields of reports about one kind of step, except `of`. */
type FieldOf<K extends Outcome["of"]> = Exclude<Keys<Extract<Outcome, { of: K }>>, "of">;
type OutcomeFields = { readonly [K in Outcome["of"]]: { readonly [F in FieldOf<K>]: ReportField } };

const text = z.string();
const maybe = (schema: z.ZodMiniType): z.ZodMiniType => z.optional(schema);
const results = fact(z.array(CheckResult));

const execution = {
  execution: fact(ExecutionId),
  usage: fact(z.nullable(Usage)),
  session: fact(z.nullable(text)),
};

const { standing, notices, commitTree, proposedCommit, wholeTree, plainTree } = PhaseOutput.shape;

/** A second scan after the approver's Continue. Unless it fails, it must find the tree that the gate showed. */
const look = {
  edited: verified(z.nullable(z.array(FileChange))),
  tree: verified(z.nullable(TreeId)),
  results,
  digest: fact(text),
  standing: fact(standing),
  notices: fact(notices),
  commitTree: verified(commitTree),
  proposedCommit: verified(proposedCommit),
  plainTree: verified(plainTree),
  wholeTree: verified(wholeTree),
};

/** Results of a phase that only the worker's machine knows. */
export const COMPLETED_FIELDS: { readonly [F in keyof CompletedFacts]-?: ReportField } = {
  artifacts: fact(z.array(text)),
  changed: verified(z.nullable(z.array(FileChange))), // replaced by the server's comparison
  changedSinceSeen: verified(z.nullable(z.array(FileChange))),
  unexpected: fact(z.array(text)), // the server adds to it
  unmentioned: fact(maybe(z.array(text))),
  tree: fact(z.nullable(TreeId)),
  lines: fact(z.int()), // under a policy no gate depends on it
  commitTree: fact(commitTree),
  proposedCommit: verified(proposedCommit),
  plainTree: fact(plainTree),
  wholeTree: fact(wholeTree),
  standing: fact(standing),
  notices: fact(notices),
  reportedBy: decision,
  checkedBy: decision,
  unshown: decision,
};

/** Fields decided by the server are not part of the message. */
const toShape = (fields: Readonly<Record<string, ReportField>>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind, schema }]) =>
      kind === "decision" ? [] : [[name, schema] as const],
    ),
  );

/** Fields of all reports about an open run. Other fields are refused. */
export const OUTCOME_FIELDS: OutcomeFields = {
  claim: { claim: fact(Claim), prompt: fact(maybe(z.int())), tree: fact(maybe(TreeId)) },
  lost: {
    execution: execution.execution,
    usage: fact(maybe(z.nullable(Usage))),
    session: fact(maybe(z.nullable(text))),
    reason: fact(maybe(text)),
    estimated: fact(maybe(z.boolean())),
    over: fact(maybe(z.strictObject({ ahead: z.nullable(Usage) }))),
    tree: fact(maybe(TreeId)),
  },
  broken: {
    ...execution,
    reason: fact(text),
    detail: fact(text),
    again: fact(z.boolean()),
    retries: fact(maybe(z.int())),
    tree: fact(maybe(TreeId)),
  },
  prepare: {},
  baseline: { result: fact(z.nullable(CheckResult)) },
  enter: {
    commit: fact(z.nullable(CommitId)),
    tree: fact(z.nullable(TreeId)),
    standing: fact(maybe(RepositoryStanding)),
    bases: fact(maybe(ReturnBases)),
  },
  produce: {
    ...execution,
    result: fact(AgentResult),
    dropped: fact(maybe(z.array(text))),
    denied: fact(maybe(z.array(text))),
    unguarded: fact(maybe(text)),
    tree: fact(maybe(TreeId)),
  },
  check: {
    results,
    digest: fact(text),
    testsChanged: fact(z.nullable(text)),
    tests: fact(maybe(z.nullable(TestCommand))), // an approver decides about it
    checkedBy: decision,
    tree: fact(maybe(TreeId)),
  },
  review: {
    ...execution,
    verdict: fact(Verdict),
    changed: fact(maybe(z.nullable(z.array(text)))),
    written: fact(maybe(z.array(text))),
  },
  judge: { verdict: fact(Verdict) },
  complete: {
    made: fact(z.strictObject(toShape(COMPLETED_FIELDS))),
    settings: decision,
    digest: fact(text),
    mixed: fact(maybe(z.array(text))),
  },
  recheck: look,
  commit: { commit: fact(maybe(z.nullable(CommitId))), differs: fact(maybe(z.strictObject(toShape(look)))) },
  measure: { sizing: fact(Sizing) },
  refine: {
    ...execution,
    artifact: verified(text), // the merge accepts this file without a gate
    tasks: fact(z.int()),
    problems: fact(z.array(text)),
    commit: fact(maybe(z.nullable(CommitId))),
  },
  rewind: {
    kept: fact(z.nullable(text)),
    restored: fact(z.array(text)),
    commit: fact(z.nullable(CommitId)),
  },
  finish: {
    merged: verified(maybe(z.null())), // only the server merges
    moved: fact(maybe(z.array(text))), // the approver is asked again
    standing: fact(maybe(RepositoryStanding)),
  },
};
