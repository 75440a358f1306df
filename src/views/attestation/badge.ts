import type { SignedStatement } from "../../core/attestation/signed-statement.ts";
import { groupPeople } from "../../core/attestation/policy.ts";
import type { LandingStatement, RunStatement } from "../../schema/attestation.ts";

type GateFacts = Pick<SignedStatement, "statement">;
export type BadgeFacts = Pick<SignedStatement, "statement" | "signers" | "gateSigners">;

const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/**
 * Formats "5 gates, 2 people, 214 tests": gates answered with Continue, people who signed, tests passed in the last
 * result.
 */
export function badgeText(facts: readonly BadgeFacts[], servers: readonly string[] = []): string {
  const signers = facts.flatMap((one) => [...one.signers, ...one.gateSigners]);
  const people = groupPeople(signers.filter(({ signer }) => !servers.includes(signer))).length;
  return [gatesText(facts), counted(people, "person", "people"), ...testsText(facts)].join(", ");
}

/** Formats the badge without people: "5 gates, 214 tests". */
export const unsignedBadgeText = (facts: readonly GateFacts[]): string =>
  [gatesText(facts), ...testsText(facts)].join(", ");

function gatesText(facts: readonly GateFacts[]): string {
  const gates = facts.flatMap(({ statement }) => statement.predicate.phases.flatMap((phase) => phase.gates));
  return counted(gates.filter(({ decision }) => decision === "continue").length, "gate");
}

function testsText(facts: readonly GateFacts[]): string[] {
  const checks = facts.flatMap(({ statement }) => statement.predicate.phases.flatMap((phase) => phase.checks));
  const counts = checks.flatMap((check) => check.counts ?? []).at(-1);
  return counts === undefined ? [] : [counted(counts.passed, "test")];
}

/** Signed statement about a run, and about its merge if isdlc made it. */
type RunAttestation = {
  readonly statement: RunStatement;
  readonly landing: { readonly statement: LandingStatement } | null;
};

/** Describes signed statements to the owner of the key. */
export function attestedLines({ statement, landing }: RunAttestation): string[] {
  const { subject, predicate } = statement;
  const commits = subject.length === 1 ? "1 commit" : `${subject.length} commits`;
  const signed = `Signed: run ${predicate.run} made ${commits} (${unsignedBadgeText([{ statement }])}).`;
  return landing === null ? [signed] : [signed, landingLine(landing.statement)];
}

function landingLine({ predicate }: LandingStatement): string {
  const { run, method, base, result, checks } = predicate;
  const how = method === "merge" ? "merged" : "squashed";
  const passed = checks.length > 0 && checks.every(({ ok }) => ok === true);
  const tested = passed ? "its checks passed on these files" : "no checks ran on these files";
  const [from, to] = [base.commit.slice(0, 12), result.commit.slice(0, 12)];
  return `Signed: run ${run} was ${how} onto ${from} as ${to} (${tested}).`;
}

export const shareLine = "To share it: git push origin refs/notes/isdlc";
