import { createHash } from "node:crypto";
import { buildLanding } from "../../core/attestation/landing-statement.ts";
import { type BranchFacts, buildStatement, type StatementFacts } from "../../core/attestation/statement.ts";
import type { SignedStatement } from "../../core/attestation/signed-statement.ts";
import { ProblemError } from "../../core/problem.ts";
import { mergedAs } from "../../core/run.ts";
import type { Head } from "../../ports/journal.ts";
import type { LandingStatement, RunStatement } from "../../schema/attestation.ts";
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

export type SignedAttestation = SignatureResult & {
  readonly statement: RunStatement;
  /** Statement about the merge of the run. Null if isdlc did not merge it, and for a countersignature. */
  readonly landing: SignedLanding | null;
};
type SignedLanding = SignatureResult & { readonly statement: LandingStatement };

/** Statement and its bytes to sign. */
export type UnsignedAttestation = { readonly statement: RunStatement; readonly payload: Buffer };

/**
 * Builds the statement about a run's commits from the journal, signs it with the user's key, and stores it as git
 * notes; the same for a merge made by isdlc.
 */
export async function attestRun(git: Git, request: AttestRequest): Promise<SignedAttestation> {
  const branch = await readBranch(git, request);
  const unsigned = buildUnsigned(request, branch);
  const signed = await signStatement(git, unsigned);
  const landing = await signLanding(git, request, { unsigned, merge: branch.merge });
  return { statement: unsigned.statement, ...signed, landing };
}

/**
 * Builds the statement about a run's commits from the journal.
 * @throws ProblemError NOTHING_TO_ATTEST if the run has no commits here
 */
export async function unsignedStatement(git: Git, request: AttestRequest): Promise<UnsignedAttestation> {
  return buildUnsigned(request, await readBranch(git, request));
}

async function readBranch(git: Git, { state, events, heads }: AttestRequest): Promise<BranchFacts> {
  const { run } = state.run;
  const merged = state.is === "ended" ? mergedAs(state) : null;
  const start = state.run.git;
  const branch = start === null ? null : await branchFacts(git, { run, start, merged, events, heads });
  if (branch === null) throw new ProblemError({ code: "NOTHING_TO_ATTEST", run, detail: "it has no commits here" });
  return branch;
}

function buildUnsigned(request: AttestRequest, branch: BranchFacts): UnsignedAttestation {
  const { state, passkeys } = request;
  const portable = portableWith([...(state.run.passkeys ?? []), ...passkeys]);
  const statement = buildStatement({ ...request, branch, hash: sha256, portable });
  return { statement, payload: encodeStatement(statement) };
}

type LandingRequest = { readonly unsigned: UnsignedAttestation; readonly merge: BranchFacts["merge"] };

async function signLanding(
  git: Git,
  { events }: AttestRequest,
  { unsigned, merge }: LandingRequest,
): Promise<SignedLanding | null> {
  if (merge === null) return null;
  const chosen = events.findLast((event) => event.type === "finish.chosen");
  const mergedBy = chosen === undefined || chosen.by === "engine" ? null : chosen.by.name;
  const digest = sha256(unsigned.payload.toString("utf8"));
  const statement = buildLanding({ statement: unsigned.statement, digest, merge, mergedBy });
  const payload = encodeStatement(statement);
  const signature = await signWithSsh(signedBytes(payload), signingKey(await signingSettings(git)));
  const line = encodeEnvelope({ payload, signatures: [signature] });
  const { commit, tree } = merge.result;
  await addNotes(git, { objects: [commit, tree], line });
  return { statement, envelope: line, keyid: signature.keyid };
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
