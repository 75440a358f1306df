import { localTime } from "../local-time.ts";
import { type CoveredCommit, isCovered } from "../../core/attestation/coverage.ts";
import type { RefusedStatement, SignedStatement } from "../../core/attestation/signed-statement.ts";
import type { Violation } from "../../core/attestation/policy.ts";
import { plainLine } from "../plain-text.ts";
import { badgeText } from "./badge.ts";

export type VerificationFacts = {
  readonly named: string;
  readonly commits: readonly CoveredCommit[];
  readonly statements: readonly SignedStatement[];
  readonly refused: readonly RefusedStatement[];
  readonly violations: readonly Violation[];
  /** Signers that are servers, not people. */
  readonly servers?: readonly string[];
};

/** Formats a verification result as a table. */
export function verificationLines(facts: VerificationFacts): string[] {
  const { named, commits, statements, refused, violations } = facts;
  const covered = commits.filter(isCovered).length;
  return [
    `${plainLine(named)}: ${covered} of ${commits.length} commits covered (${formatBadge(facts)})`,
    ...(commits.length === 0 ? [] : ["", ...commitRows(commits)]),
    ...statements.flatMap((signed) => ["", ...statementRows(signed)]),
    ...refusedRows(refused),
    "",
    ...violationRows(violations),
  ];
}

export const formatBadge = ({ statements, servers }: Pick<VerificationFacts, "statements" | "servers">): string =>
  badgeText(statements, servers);

function commitRows(commits: readonly CoveredCommit[]): string[] {
  return commits.map(({ commit, coverage }) => {
    const how = coverage.by === null ? "NOT COVERED" : HOW[coverage.by];
    const why = coverage.by === null ? `  ${coverage.code}: ${plainLine(coverage.detail, 200)}` : movedNote(coverage);
    return `  ${commit.commit.slice(0, 12)}  ${how.padEnd(11)}  ${plainLine(commit.subject, 60)}${why}`;
  });
}

const HOW = { state: "covered", landing: "landed", merge: "plain merge" } as const;

function movedNote(coverage: CoveredCommit["coverage"]): string {
  const isMoved = coverage.by === "merge" ? coverage.isMoved : coverage.by === "landing" && coverage.landing.isMoved;
  return isMoved ? "  not re-checked on this base" : "";
}

function statementRows({ statement, signers, gateSigners }: SignedStatement): string[] {
  const { predicate } = statement;
  const vouching = signers.map(({ signer }) => plainLine(signer)).join(", ");
  const gates = predicate.phases.flatMap(({ key, gates: answers }) =>
    answers.map(({ decision, by, at, suspicious }, index) => {
      const gateSigner = gateSigners.find((one) => one.phase === key && one.gate === index);
      const how = gateSigner === undefined ? by.channel : `passkey of ${plainLine(gateSigner.signer, 60)}`;
      const mark = suspicious ? ", SUSPICIOUS: its terminal was opened while an agent was running" : "";
      return `  gate ${key}: ${decision} by ${plainLine(by.name, 60)} (${how}) ${localTime(at)}${mark}`;
    }),
  );
  const overruled = predicate.overruled.map(
    ({ what, name, phase, by }) =>
      `  overruled: ${what} ${plainLine(name, 60)}${phase === null ? "" : ` in ${phase}`}, by ${plainLine(by.name, 60)}`,
  );
  const sandbox = predicate.sandbox === null ? "not recorded" : predicate.sandbox ? "on" : "off";
  return [
    `Run ${predicate.run} (${plainLine(predicate.workflow, 40)}, ${predicate.finish ?? "not finished"}), signed ${localTime(predicate.signedAt)} by ${vouching}`,
    ...(gates.length === 0 ? ["  no gate was answered by a person"] : gates),
    ...(overruled.length === 0 ? ["  nothing was overruled"] : overruled),
    `  sandbox: ${sandbox}`,
  ];
}

function refusedRows(refused: readonly RefusedStatement[]): string[] {
  const rows = refused.map(({ code, commits, run, why }) => {
    const about = commits[0]?.slice(0, 12) ?? run ?? "";
    return `  ${code}: ${plainLine(about, 30)}  ${plainLine(why, 200)}`;
  });
  return rows.length === 0 ? [] : ["", "Statements that do not count:", ...new Set(rows)];
}

function violationRows(violations: readonly Violation[]): string[] {
  if (violations.length === 0) return ["The policy is kept."];
  return [
    "The policy is not kept:",
    ...violations.map(({ rule, code, commit, run, text }) => {
      const about = commit?.slice(0, 12) ?? (run === null ? "" : `run ${run}`);
      return `  ${rule}: ${about}: ${code}: ${plainLine(text, 200)}`;
    }),
  ];
}
