import { createHash } from "node:crypto";
import { buildStatement, type StatementFacts } from "../../core/attestation/statement.ts";
import type { SignedStatement } from "../../core/attestation/signed-statement.ts";
import { ProblemError } from "../../core/problem.ts";
import { mergedAs } from "../../core/run.ts";
import type { Head } from "../../ports/journal.ts";
import type { RunStatement } from "../../schema/attestation.ts";
import type { PasskeyKey } from "../../schema/passkey.ts";
import type { Git } from "../git/process/git.ts";
import { branchFacts } from "./branch-facts.ts";
import { encodeEnvelope, ENVELOPE_LIMIT, type Signature, signedBytes } from "./dsse.ts";
import { addNotes } from "./git-notes.ts";
import { portableWith } from "./portable-signature.ts";
import { encodeStatement } from "./read-statement.ts";
import { signingKey, signingSettings } from "./signing-settings.ts";
import { signWithSsh } from "./ssh-signature.ts";

export type AttestRequest = Pick<StatementFacts, "state" | "events" | "journal" | "signedAt" | "version"> & {
  readonly heads: readonly Head[];
  /** Passkeys registered here. Those named by the run itself are known from its journal. */
  readonly passkeys: readonly PasskeyKey[];
};

export type SignedAttestation = SignatureResult & { readonly statement: RunStatement };

/** Statement and its bytes to sign. */
export type UnsignedAttestation = { readonly statement: RunStatement; readonly payload: Buffer };

/**
 * Builds the statement about a run's commits from the journal, signs it with the user's key, and stores it as git
 * notes.
 */
export async function attestRun(git: Git, request: AttestRequest): Promise<SignedAttestation> {
  const unsigned = await unsignedStatement(git, request);
  return { statement: unsigned.statement, ...(await signStatement(git, unsigned)) };
}

/**
 * Builds the statement about a run's commits from the journal.
 * @throws ProblemError NOTHING_TO_ATTEST if the run has no commits here
 */
export async function unsignedStatement(git: Git, request: AttestRequest): Promise<UnsignedAttestation> {
  const { state, events, heads, passkeys } = request;
  const { run } = state.run;
  const merged = state.is === "ended" ? mergedAs(state) : null;
  const start = state.run.git;
  const branch = start === null ? null : await branchFacts(git, { run, start, merged, events, heads });
  if (branch === null) throw new ProblemError({ code: "NOTHING_TO_ATTEST", run, detail: "it has no commits here" });
  const portable = portableWith([...(state.run.passkeys ?? []), ...passkeys]);
  const statement = buildStatement({ ...request, branch, hash: sha256, portable });
  return { statement, payload: encodeStatement(statement) };
}

/** Signs a statement made by someone else, without changing its text. */
export function countersign(git: Git, { statement, text }: SignedStatement): Promise<SignatureResult> {
  return signStatement(git, { statement, payload: Buffer.from(text, "utf8") });
}

type SignatureResult = { readonly envelope: string; readonly keyid: string };

async function signStatement(git: Git, unsigned: UnsignedAttestation): Promise<SignatureResult> {
  const key = signingKey(await signingSettings(git));
  return noteSigned(git, unsigned, await signWithSsh(signedBytes(unsigned.payload), key));
}

/** Stores a signed statement as a note on each of its objects. */
export async function noteSigned(
  git: Git,
  { statement, payload }: UnsignedAttestation,
  signature: Signature,
): Promise<SignatureResult> {
  const envelope = encodeEnvelope({ payload, signatures: [signature] });
  const { run } = statement.predicate;
  if (envelope.length > ENVELOPE_LIMIT)
    throw new ProblemError({ code: "NOTHING_TO_ATTEST", run, detail: "it has more commits than a statement can name" });
  await addNotes(git, { objects: listObjects(statement), line: envelope });
  return { envelope, keyid: signature.keyid };
}

/**
 * Lists commits and trees: a commit recreated by a hosting platform is found by its tree. Other commits of the branch
 * are included.
 */
const listObjects = ({ subject, predicate }: RunStatement): string[] => [
  ...new Set([
    ...subject.flatMap(({ digest }) => [digest.gitCommit, digest.gitTree]),
    ...predicate.git.others.map(({ commit }) => commit),
  ]),
];

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
