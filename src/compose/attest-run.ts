import { join } from "node:path";
import {
  type SignedAttestation,
  type AttestRequest,
  attestRun,
  noteSigned,
  type UnsignedAttestation,
  unsignedStatement,
} from "../adapters/attestation/attest-run.ts";
import type { Signature } from "../adapters/attestation/dsse.ts";
import { historyGit } from "../adapters/attestation/history-git.ts";
import { isSetUp, signingSettings } from "../adapters/attestation/signing-settings.ts";
import { journalBytes, readJournalBytes } from "../adapters/journal/journal-heads.ts";
import { keySeal } from "../adapters/files/user-key.ts";
import { OWN } from "../core/own-folder.ts";
import { describe, ProblemError } from "../core/problem.ts";
import { type EndedRun, chosenFinish } from "../core/run.ts";
import type { RunId } from "../schema/ids.ts";
import type { PlacedProject } from "./project.ts";
import { systemClock } from "./project-location.ts";
import { version } from "./version.ts";
import { attestedLines, shareLine } from "../views/attestation/badge.ts";

const SIGN_ON_THE_PAGE = "To sign what was done with your passkey, open the run in the page: isdlc ui";

/** Signs the attestation of one run and stores it as git notes. */
export async function attest(project: PlacedProject, run: RunId): Promise<SignedAttestation> {
  return attestRun(await historyGit(project.root, project.env), await buildAttestRequest(project, run));
}

async function buildAttestRequest(project: PlacedProject, run: RunId): Promise<AttestRequest> {
  const { journal, own, files, folders, passkeys } = project;
  const { state, head } = await journal.load(run);
  if (state.is === "none")
    throw new ProblemError({ code: "NOTHING_TO_ATTEST", run, detail: "there is no such run here" });
  const bytes = journalBytes({ directory: join(own, OWN.journal), files }, run) ?? Buffer.alloc(0);
  const seal = keySeal(folders.state, files);
  return {
    state,
    events: await journal.events(run),
    heads: readJournalBytes(bytes, { run, seal }).heads,
    journal: head,
    signedAt: systemClock.now(),
    version,
    passkeys: passkeys.list(),
  };
}

/** Returns the unsigned attestation of one run. */
export async function buildUnsigned(project: PlacedProject, run: RunId): Promise<UnsignedAttestation> {
  return unsignedStatement(await historyGit(project.root, project.env), await buildAttestRequest(project, run));
}

/** Stores an attestation signed elsewhere as git notes. */
export async function noteStatement(
  project: PlacedProject,
  unsigned: UnsignedAttestation,
  signature: Signature,
): Promise<void> {
  await noteSigned(await historyGit(project.root, project.env), unsigned, signature);
}

/** Returns true if the run ended with commits that someone can sign an attestation for. */
export function isAttestable(ended: EndedRun): boolean {
  const { run } = ended;
  const finish = chosenFinish(ended);
  return (
    run.git !== null &&
    run.scope === "tree" &&
    finish !== null &&
    finish !== "discard" &&
    run.options.commits !== "none"
  );
}

/**
 * Attests an ended run if git is set up to sign with an SSH key. Problems become warnings with the command to retry,
 * because the run has already ended.
 */
export async function attestFinished(project: PlacedProject, ended: EndedRun): Promise<readonly string[]> {
  const { run } = ended;
  if (!isAttestable(ended)) return [];
  try {
    const git = await historyGit(project.root, project.env);
    if (!isSetUp(await signingSettings(git))) return (run.passkeys ?? []).length > 0 ? [SIGN_ON_THE_PAGE] : [];
    return [...attestedLines(await attest(project, run.run)), shareLine];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.problem.code === "NOTHING_TO_ATTEST") return [];
    const { what, fix } = describe(error.problem);
    return [`warning: ${what} ${fix}`];
  }
}
