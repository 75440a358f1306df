import type { verifyDecision as VerifyDecision } from "../../../adapters/passkeys/verify-assertion.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { findSignatures } from "../../../core/find-signatures.ts";
import type { RunId } from "../../../schema/ids.ts";

export type SignatureFinding = { readonly name: "passkey"; readonly ok: boolean; readonly detail: string };

/** Verifies every decision that a passkey signed. Empty where a run knows of none. */
export async function signatureFindings(project: LocalProject, run: RunId): Promise<SignatureFinding[]> {
  const { signatures, wrong } = findSignatures(project.journal.events(run), project.passkeys.list());
  if (signatures.length + wrong.length === 0) return [];
  // Built beside this file; it has what is needed to verify, which other verbs do without.
  const { verifyDecision } = require("./ui.cjs") as { verifyDecision: typeof VerifyDecision };
  const verified = await Promise.all(
    signatures.map(async ({ seq, signature, key }) => ({
      seq,
      result: await verifyDecision(signature, { key, origin: null, counter: 0 }),
    })),
  );
  const bad = [
    ...wrong,
    ...verified.flatMap(({ seq, result }) => (result.ok ? [] : [{ seq, detail: result.detail }])),
  ].toSorted((one, other) => one.seq - other.seq);
  if (bad.length > 0)
    return bad.map(({ seq, detail }) => ({ name: "passkey", ok: false, detail: `${run}: event ${seq}: ${detail}` }));
  return [{ name: "passkey", ok: true, detail: `${run}: ${signatures.length} signed decisions, in order` }];
}
