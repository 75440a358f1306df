import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type SignedAttestation, countersign } from "../../../adapters/attestation/attest-run.ts";
import { historyGit } from "../../../adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../../adapters/attestation/isolated-git.ts";
import { signingSettings } from "../../../adapters/attestation/signing-settings.ts";
import { pushNotes } from "../../../adapters/attestation/share-notes.ts";
import { verifyRange } from "../../../adapters/attestation/verify-range.ts";
import { ProblemError } from "../../../core/problem.ts";
import { DEFAULT_POLICY } from "../../../schema/policy.ts";
import { verificationLines } from "../../../views/attestation/verification.ts";
import { attest } from "../../../compose/attest-run.ts";
import { identifyPerson } from "../invocation/caller.ts";
import { ChoicesNeeded } from "../../../app/choice.ts";
import { done, flag, type Invocation, type Run, text } from "../invocation/verb.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { createGitCaller } from "../../../compose/trusted-git-programs.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { withSigners } from "./signers.ts";
import { ask } from "../terminal/ask.ts";
import { attestedLines, shareLine } from "../../../views/attestation/badge.ts";

/** Signs an attestation of a run from its journal, or countersigns one of a colleague, with git's signing key. */
export const attestVerb: Run = async (invocation) => {
  const project = openInvokedProject(invocation);
  await identifyPerson(invocation, project); // only a person may sign with a person's key
  const named = text(invocation.values, "countersign");
  const signed =
    named === undefined ? [await ownStatement(invocation, project)] : await others(invocation, project, named);
  const landings = signed.flatMap(({ landing }) => landing ?? []);
  const envelopes = [...signed, ...landings].map(({ envelope }) => envelope);
  const file = text(invocation.values, "file");
  if (file !== undefined) writeFileSync(resolve(invocation.cwd, file), envelopes.map((line) => `${line}\n`).join(""));
  const remote = text(invocation.values, "push");
  if (remote !== undefined) await push(project, remote);
  const shared = remote === undefined ? [shareLine] : [`Pushed to ${remote}.`];
  const statements = [...signed, ...landings].map(({ statement }) => statement);
  return done([...signed.flatMap(attestedLines), ...shared], { statements });
};

async function push(project: LocalProject, remote: string): Promise<void> {
  const { root, env } = project;
  await pushNotes(await historyGit(root, env), { cwd: root, remote, caller: createGitCaller(project) });
}

async function ownStatement({ values, words }: Invocation, project: LocalProject): Promise<SignedAttestation> {
  const { run } = await currentRun(project, text(values, "run") ?? words[0]);
  if (run === null) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return attest(project, run);
}

/** Shows an attestation to the second person before it is countersigned. */
async function others(
  invocation: Invocation,
  { root, env }: LocalProject,
  named: string,
): Promise<SignedAttestation[]> {
  const git = await historyGit(root, env);
  const settings = await signingSettings(git);
  const found = await withIsolatedGit(git, (isolated) =>
    withSigners(invocation, { isolated, settings }, (signers) =>
      verifyRange(isolated, { named, policy: DEFAULT_POLICY, notes: null, handed: [], signers, now: Date.now() }),
    ),
  );
  if (found.statements.length === 0)
    throw new ProblemError({ code: "NOTHING_TO_COUNTERSIGN", named, why: found.refused.map(({ why }) => why) });
  const about = verificationLines({ ...found, violations: [] });
  const agreed =
    flag(invocation.values, "yes") || (await ask(invocation.io, { question: "Sign this too?", about, enter: "n" }));
  if (!agreed) throw new ChoicesNeeded([{ id: "countersign", kind: "confirm", options: ["yes"], about }]);
  const vouched: SignedAttestation[] = [];
  for (const signed of found.statements)
    vouched.push({ statement: signed.statement, ...(await countersign(git, signed)), landing: null });
  return vouched;
}
