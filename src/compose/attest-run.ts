import { join } from "node:path";
import { type Attested, attestRun } from "../adapters/attestation/attest-run.ts";
import { historyGit } from "../adapters/attestation/history-git.ts";
import { isSetUp, signingSettings } from "../adapters/attestation/signing-settings.ts";
import { journalBytes, readJournalBytes } from "../adapters/journal-file/journal-heads.ts";
import { loadUserKey, sealWith } from "../adapters/user-files/user-key.ts";
import { OWN } from "../core/own-folder.ts";
import { describe, ProblemError } from "../core/problem.ts";
import { type EndedRun, finishOf } from "../core/run.ts";
import type { RunId } from "../schema/ids.ts";
import { attestedLines, shareLine } from "../views/attestation/attested.ts";
import type { PlacedProject } from "./project.ts";
import { systemClock } from "./place.ts";

/** Signs and notes what the journal says about one run. */
export async function attest(project: PlacedProject, run: RunId): Promise<Attested> {
  const { journal, own, files, folders } = project;
  const { state, head } = await journal.load(run);
  if (state.is === "none")
    throw new ProblemError({ code: "NOTHING_TO_ATTEST", run, detail: "there is no such run here" });
  const bytes = journalBytes({ directory: join(own, OWN.journal), files }, run) ?? Buffer.alloc(0);
  const seal = sealWith(loadUserKey(folders.state, files));
  return attestRun(await historyGit(project.root, project.env), {
    state,
    events: await journal.events(run),
    heads: readJournalBytes(bytes, { run, seal }).heads,
    journal: head,
    signedAt: systemClock.now(),
  });
}

/**
 * The same at the end of a run, where git is set up to sign with an SSH key. The run is over and stays so: what goes
 * wrong here is told, with the verb that tries again.
 */
export async function attestFinished(project: PlacedProject, ended: EndedRun): Promise<readonly string[]> {
  const { run } = ended;
  const finish = finishOf(ended);
  if (run.git === null || run.scope !== "tree" || finish === null || finish === "discard") return [];
  if (run.options.commits === "none") return [];
  try {
    const git = await historyGit(project.root, project.env);
    if (!isSetUp(await signingSettings(git))) return [];
    return [...attestedLines((await attest(project, run.run)).statement), shareLine];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.problem.code === "NOTHING_TO_ATTEST") return [];
    const { what, fix } = describe(error.problem);
    return [`warning: ${what} ${fix}`];
  }
}
