import type { verifySignatures as VerifySignatures } from "../../../adapters/passkeys/verify-signatures.ts";
import { ownValue } from "../../../core/own-value.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { findSignatures, type Signature } from "../../../core/find-signatures.ts";
import type { RunId } from "../../../schema/ids.ts";

export type SignatureFinding = { readonly name: "passkey"; readonly ok: boolean; readonly detail: string };

/** Verifies every decision that a passkey signed. Empty where a run knows of none. */
export async function signatureFindings(project: LocalProject, run: RunId): Promise<SignatureFinding[]> {
  const found = findSignatures(project.journal.events(run), project.passkeys.list());
  const { signatures, wrong } = found;
  if (signatures.length + wrong.length === 0) return [];
  // Built beside this file; it has what is needed to verify, which other verbs do without.
  const { verifySignatures } = require("./ui.cjs") as { verifySignatures: typeof VerifySignatures };
  const bad = await verifySignatures(found);
  if (bad.length > 0)
    return bad.map(({ seq, detail }) => ({ name: "passkey", ok: false, detail: `${run}: event ${seq}: ${detail}` }));
  const told = `${run}: ${signatures.length} signed decisions, in order${vouchers(signatures)}${pages(signatures)}`;
  return [{ name: "passkey", ok: true, detail: told }];
}

/** What an origin shows, and what it does not. */
function pages(signatures: readonly Signature[]): string {
  const origins = [...new Set(signatures.flatMap(({ signature }) => statedOrigin(signature.statement) ?? []))];
  if (origins.length === 0) return "";
  return `; signed on ${origins.join(", ")}: the address of the page with its port, not which program served it`;
}

/** The page that a decision names; null for those of before decisions named one. */
function statedOrigin(statement: string): string | null {
  const origin = ownValue(JSON.parse(statement), "origin");
  return typeof origin === "string" ? plainLine(origin, 200) : null;
}

/** Whose word it is that a key belongs to the person who is named. */
function vouchers(signatures: readonly Signature[]): string {
  const vouched = signatures.filter(({ signature, key }) => signature.key === key);
  const hosts = new Set(vouched.map(({ key }) => key.relyingParty ?? ""));
  return hosts.size === 0 ? "" : `; whose keys they are, the server of ${[...hosts].join(", ")} says`;
}
