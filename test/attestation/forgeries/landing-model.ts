import { createHash } from "node:crypto";
import type { LandingStatement } from "../../../src/schema/attestation.ts";
import type { Dice } from "../../support/dice.ts";
import type { KeyName, LineModel } from "./case-model.ts";
import type { RepositoryModel } from "./repository-model.ts";

const CHECK = { name: "tests", ok: true, counts: { passed: 3, failed: 0, skipped: 0 }, ranAs: "sandbox" } as const;
const AT = "2026-11-01T11:30:00.000Z";
const OTHER = "1".repeat(40);
const LATER = "2026-11-01T11:40:00Z";

/** Result of a run on a base. */
export type LandedRun = { readonly run: string; readonly base: string; readonly result: string };

/** The statement of a server after it ran the checks on a result. `payload`: that of the run's statement. */
export function landingOf(
  repository: RepositoryModel,
  payload: string,
  { run, base, result }: LandedRun,
): LandingStatement {
  const point = (commit: string) => ({ commit, tree: repository.treeOf(commit) });
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: `${run}/landing`, digest: { gitCommit: result, gitTree: repository.treeOf(result) } }],
    predicateType: "urn:isdlc:attestation:landing:v1",
    predicate: {
      isdlc: "1.0.0",
      run,
      statement: createHash("sha256").update(payload).digest("hex"),
      base: point(base),
      result: point(result),
      method: "squash",
      checks: [CHECK],
      mergedBy: { name: "Ada" },
      landedAt: AT,
      signedAt: AT,
    },
  };
}

type Predicate = LandingStatement["predicate"];
type Change = (statement: LandingStatement) => unknown;
const inPredicate =
  (change: (predicate: Predicate) => object): Change =>
  ({ predicate, ...rest }) => ({ ...rest, predicate: { ...predicate, ...change(predicate) } });

/** Changes of a landing statement before signing. */
const CHANGES: readonly Change[] = [
  inPredicate(() => ({ checks: [] })),
  inPredicate(() => ({ checks: [{ ...CHECK, ok: false }] })),
  inPredicate(() => ({ checks: [CHECK, { ...CHECK, name: "lint", ok: null, counts: null }] })),
  inPredicate(() => ({ statement: "0".repeat(64) })),
  inPredicate(() => ({ statement: "0".repeat(63) })),
  inPredicate(() => ({ run: "20260101-000000000-aaaa" })),
  inPredicate(({ base }) => ({ base: { ...base, commit: OTHER } })),
  inPredicate(({ base }) => ({ base: { ...base, tree: OTHER } })),
  inPredicate(({ base, result }) => ({ base: result, result: base })),
  inPredicate(({ result }) => ({ base: result })),
  inPredicate(({ result }) => ({ result: { ...result, tree: OTHER } })),
  inPredicate(() => ({ landedAt: LATER })),
  inPredicate(() => ({ landedAt: LATER, signedAt: LATER })),
  inPredicate(() => ({ signedAt: "2126-01-01T00:00:00Z" })),
  inPredicate(() => ({ landedAt: "2026-02-30T00:00:00Z" })),
  inPredicate(() => ({ method: "octopus" })),
  inPredicate(() => ({ method: "carry", mergedBy: null })),
  inPredicate(() => ({ mergedBy: { host: "git.example.org", login: "ada", user: 7 } })),
  inPredicate(() => ({ mergedBy: { host: "git.example.org", name: "Ada" } })),
  inPredicate(() => ({ approved: true })),
  ({ subject, ...rest }) => ({ ...rest, subject: [...subject, ...subject] }),
  ({ subject, ...rest }) => ({ ...rest, subject: subject.map((one) => ({ ...one, name: "another" })) }),
  ({ subject, ...rest }) => ({
    ...rest,
    subject: subject.map((one) => ({ ...one, digest: { ...one.digest, gitCommit: OTHER } })),
  }),
  (statement) => ({ ...statement, predicateType: "urn:isdlc:attestation:run:v1" }),
];

/** A line about a landing: mostly true. */
export function landingLine(dice: Dice, statement: LandingStatement): LineModel {
  const changed = dice.chance(60) ? statement : dice.of(CHANGES)(statement);
  const keys: KeyName[] = [dice.chance(80) ? "ada" : dice.of(["ben", "server", "mallory"] as const)];
  return {
    payload: JSON.stringify(changed),
    keys,
    ...(dice.chance(3) ? { isForged: true } : {}),
    ...(dice.chance(3) ? { isMalformed: true } : {}),
  };
}
