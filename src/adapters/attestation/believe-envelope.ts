import type { RefusedStatement, SignedStatement, Signer } from "../../core/attestation/coverage.ts";
import type { RunStatement } from "../../schema/attestation.ts";
import { checkGateSigners } from "./check-gate-signers.ts";
import { readEnvelope, signedBytes } from "./dsse.ts";
import { readStatement } from "./read-statement.ts";
import { checkSshSignature, NAMESPACE } from "./ssh-signature.ts";

export type Belief =
  | ({ readonly is: "believed" } & SignedStatement)
  | ({ readonly is: "refused" } & Pick<RefusedStatement, "why" | "run">);

export type Doubt = {
  /** An allowed_signers file; null: nobody is known. */
  readonly signers: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Clocks differ; a statement may seem to come from so far in the future. */
export const CLOCK_SKEW = 5 * 60_000; // milliseconds

/**
 * Believes an envelope when it is whole, says what a statement says, and somebody on the list signed it. One signature
 * that does not fit, and nothing in it is believed.
 */
export async function believeEnvelope(line: string, { signers, now }: Doubt): Promise<Belief> {
  const reading = readEnvelope(line);
  if (reading.is === "refused") return { is: "refused", why: reading.why, run: null };
  const { payload, signatures } = reading.envelope;
  const read = readStatement(payload);
  if (read.is === "refused") return { is: "refused", why: read.why, run: null };
  const { statement } = read;
  const { run, signedAt } = statement.predicate;
  const refuse = (why: string): Belief => ({ is: "refused", why, run });
  const inconsistent = inconsistencyOf(statement, now);
  if (inconsistent !== null) return refuse(inconsistent);
  const bytes = signedBytes(payload);
  const known: Signer[] = [];
  const strangers: string[] = [];
  for (const signature of signatures) {
    const checked = await checkSshSignature({ bytes, signature, namespace: NAMESPACE, signers, at: signedAt });
    if (checked.is === "bad") return refuse(checked.why);
    if (checked.is === "stranger") strangers.push(checked.why);
    else known.push({ signer: checked.signer, keyid: checked.keyid });
  }
  if (known.length === 0) return refuse(strangers[0] ?? "nobody signed it");
  const checked = await checkGateSigners(statement, signers);
  if (checked.is === "refused") return refuse(checked.why);
  const { gateSigners } = checked;
  return { is: "believed", statement, text: payload.toString("utf8"), signers: known, gateSigners };
}

/** Things that cannot be true of any run, whoever signs them. */
function inconsistencyOf({ subject, predicate }: RunStatement, now: number): string | null {
  const { startedAt, endedAt, signedAt, git } = predicate;
  if (Date.parse(signedAt) > now + CLOCK_SKEW) return "it says that it was signed in the future";
  if (startedAt > signedAt || (endedAt !== null && endedAt > signedAt)) return "it was signed before the run ended";
  const commits = subject.map(({ digest }) => digest.gitCommit);
  if (new Set(commits).size !== commits.length) return "it names a commit twice";
  return git.others.some(({ commit }) => commits.includes(commit)) ? "it names a commit as made and as not made" : null;
}
