import type { RunStatement } from "../../schema/attestation.ts";

export type BadgeFacts = { readonly statement: RunStatement; readonly signers: readonly string[] };

const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/**
 * "5 gates, 2 people, 214 tests": gates that people answered with Continue, who answered them or vouches for it, and the
 * tests that passed last.
 */
export function badgeText(facts: readonly BadgeFacts[]): string {
  const phases = facts.flatMap(({ statement }) => statement.predicate.phases);
  const accepted = phases.flatMap(({ gates }) => gates.filter(({ decision }) => decision === "continue"));
  const people = new Set([...accepted.map(({ by }) => by.name), ...facts.flatMap(({ signers }) => signers)]);
  const counts = phases.flatMap(({ checks }) => checks.flatMap((check) => check.counts ?? [])).at(-1);
  const tests = counts === undefined ? [] : [counted(counts.passed, "test")];
  return [counted(accepted.length, "gate"), counted(people.size, "person", "people"), ...tests].join(", ");
}
