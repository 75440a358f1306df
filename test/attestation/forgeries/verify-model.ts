import { createHash } from "node:crypto";
import { claimsIn } from "../../../src/adapters/attestation/believe-envelope.ts";
import { readStatement } from "../../../src/adapters/attestation/read-statement.ts";
import { findContradiction, findLandingContradiction } from "../../../src/core/attestation/contradictions.ts";
import { parseInstant } from "../../../src/core/attestation/instant.ts";
import type { Answer, QuestionSequence, Question } from "../../../src/core/attestation/question.ts";
import { isRecordChange } from "../../../src/core/attestation/record-files.ts";
import { CLOCK_SKEW_MS } from "../../../src/core/attestation/select-statements.ts";
import type {
  GateSigner,
  RefusedStatement,
  SignedLanding,
  SignedStatement,
} from "../../../src/core/attestation/signed-statement.ts";
import type { LineCode } from "../../../src/core/attestation/verification-codes.ts";
import { type Verification, verification } from "../../../src/core/attestation/verification.ts";
import type { RunStatement } from "../../../src/schema/attestation.ts";
import { readPolicy } from "../../../src/core/attestation/read-policy.ts";
import { type CaseModel, type KeyName, type LineModel, LISTED, signerName } from "./case-model.ts";
import type { Files } from "./repository-model.ts";
import { ancestors, mergeFiles } from "./simple-merge.ts";

export const NOW = Date.UTC(2026, 10, 2);

/** Results on which both verifiers must agree. */
export type Outcome = {
  readonly accepted: boolean;
  /** Code or kind of coverage, by commit. */
  readonly commits: Readonly<Record<string, string>>;
  /** Codes of lines that do not count, sorted. */
  readonly lines: readonly string[];
  /** Codes of broken rules with the run, sorted. */
  readonly rules: readonly string[];
};

/** Verifies a case in the pure core, with a merge of whole files instead of git's. */
export function verifyModel(model: CaseModel): Outcome {
  const policy = readPolicy(JSON.stringify(model.policy).replaceAll(/KEY:(\w+)/g, (_, key: string) => fakeKeyId(key)));
  if (policy.is === "invalid") throw new Error(policy.detail);
  const { repository, missing, base, head } = model;
  const before = ancestors(repository.commits, base);
  const inRange = [...ancestors(repository.commits, head)].filter((id) => !before.has(id));
  const beliefs = model.lines.map(judgeLine);
  const commits = [...repository.commits].filter(([id]) => !missing.has(id));
  const found = answer(
    model,
    verification({
      policy: policy.policy,
      base,
      head,
      commits: inRange.flatMap((id) => repository.commits.get(id) ?? []),
      history: new Map(commits),
      statements: beliefs.flatMap((belief) => ("text" in belief ? [belief] : [])),
      landings: beliefs.flatMap((belief) => ("statement" in belief && !("text" in belief) ? [belief] : [])),
      refused: beliefs.flatMap((belief) => ("code" in belief ? [belief] : [])),
    }),
  );
  return toOutcome(found);
}

export function toOutcome({ commits, refused, violations }: Verification): Outcome {
  return {
    accepted: violations.length === 0,
    commits: Object.fromEntries(commits.map(({ commit, coverage }) => [commit.commit, coverage.by ?? coverage.code])),
    lines: refused.map(({ code }) => code).toSorted(),
    rules: [
      ...new Set(violations.filter(({ rule }) => rule !== "commits").map(({ code, run }) => `${code} ${run ?? ""}`)),
    ].toSorted(),
  };
}

export const fakeKeyId = (key: string): string =>
  `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;

/** Step 1, with the given facts about signatures. */
function judgeLine({
  payload,
  keys,
  passkey,
  isForged,
  isMalformed,
}: LineModel): SignedStatement | SignedLanding | RefusedStatement {
  const bytes = Buffer.from(payload);
  const refuse = (code: LineCode): RefusedStatement => {
    const { run, commits } = code === "ENVELOPE_INVALID" ? { run: null, commits: [] } : claimsIn(bytes);
    return { code, why: code, run, commits };
  };
  if (isMalformed === true) return refuse("ENVELOPE_INVALID");
  const read = readStatement(bytes);
  if (read.is === "refused") return refuse(read.code);
  if (parseInstant(read.statement.predicate.signedAt) > NOW + CLOCK_SKEW_MS) return refuse("SIGNED_IN_FUTURE");
  const contradiction =
    read.is === "run" ? findContradiction(read.statement) : findLandingContradiction(read.statement);
  if (contradiction !== null) return refuse("STATEMENT_CONTRADICTORY");
  if (isForged === true) return refuse("SIGNATURE_BAD");
  const signers = keys
    .filter((key) => LISTED.includes(key))
    .map((key) => ({ signer: signerName(key), keyid: fakeKeyId(key) }));
  if (signers.length === 0) return refuse("SIGNER_UNKNOWN");
  if (read.is === "landing") return { statement: read.statement, signers };
  if (passkey === "forged") return refuse("GATE_SIGNATURE_BAD");
  const gateSigners = readGateSigners(read.statement, passkey);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { statement: read.statement, text: payload, digest, signers, gateSigners };
}

function readGateSigners({ predicate }: RunStatement, key: KeyName | undefined): GateSigner[] {
  if (key === undefined || !LISTED.includes(key)) return [];
  return predicate.phases.flatMap((phase) =>
    phase.gates.map((_, gate) => ({
      phase: phase.key,
      gate,
      signer: signerName(key),
      keyid: fakeKeyId(`${key} passkey`),
    })),
  );
}

function answer<T>(model: CaseModel, calculation: QuestionSequence<T>): T {
  let step = calculation.next();
  while (step.done !== true) step = calculation.next(answerQuestion(model, step.value));
  return step.value;
}

function answerQuestion({ repository, missing }: CaseModel, question: Question): Answer {
  if (question.is === "merge") {
    const { first, second } = question;
    if (missing.has(first) || missing.has(second)) return { is: "unknown" };
    const merged = mergeFiles(repository, first, second);
    if (merged === undefined) return { is: "unknown" };
    return merged === null ? { is: "conflict" } : { is: "tree", tree: repository.idOfTree(merged) };
  }
  const present = new Set([...repository.commits].flatMap(([id, { tree }]) => (missing.has(id) ? [] : [tree])));
  const filesOf = (tree: string): Files | undefined => (present.has(tree) ? repository.trees.get(tree) : undefined);
  const [before, after] = [filesOf(question.from), filesOf(question.to)];
  if (before === undefined || after === undefined) return { is: "unknown" };
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
  const file = (files: Files, path: string) =>
    files[path] === undefined ? null : { mode: "100644", text: files[path] };
  const holds = paths.every((path) =>
    isRecordChange(question.item, { path, before: file(before, path), after: file(after, path) }),
  );
  return { is: "record-only", holds };
}
