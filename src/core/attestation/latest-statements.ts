import type { SignedStatement, Signer } from "./coverage.ts";

/**
 * One statement for each run: the one that knows most of its journal. The same statement with signatures of several
 * people, each kept apart, is one statement that all of them vouch for.
 */
export function latestStatements(statements: readonly SignedStatement[]): SignedStatement[] {
  const byText = new Map<string, SignedStatement>();
  for (const signed of statements) {
    const known = byText.get(signed.text)?.signers ?? [];
    byText.set(signed.text, { ...signed, signers: joined(known, signed.signers) });
  }
  const latest = new Map<string, SignedStatement>();
  for (const signed of byText.values()) {
    const { run } = signed.statement.predicate;
    const known = latest.get(run);
    if (known === undefined || isLater(signed, known)) latest.set(run, signed);
  }
  return [...latest.values()].toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
}

function isLater(one: SignedStatement, other: SignedStatement): boolean {
  const [a, b] = [one.statement.predicate, other.statement.predicate];
  return a.journal.seq === b.journal.seq ? a.signedAt > b.signedAt : a.journal.seq > b.journal.seq;
}

const startOf = ({ statement }: SignedStatement): string => statement.predicate.startedAt;

function joined(some: readonly Signer[], more: readonly Signer[]): Signer[] {
  return [...new Map([...some, ...more].map((signer) => [`${signer.signer} ${signer.keyid}`, signer])).values()];
}
