import type { verifySignatures as VerifySignatures } from "../../../adapters/passkeys/verify-signatures.ts";
import { ownValue } from "../../../core/own-value.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { findSignatures, type Signature } from "../../../core/find-signatures.ts";
import type { RunId } from "../../../schema/ids.ts";

export type SignatureFinding = { readonly name: "passkey"; readonly ok: boolean; readonly detail: string };

/** Verifies each decision signed with a passkey. Empty if the run has none. */
export async function signatureFindings(project: LocalProject, run: RunId): Promise<SignatureFinding[]> {
  const found = findSignatures(project.journal.events(run), project.passkeys.list());
  const { signatures, wrong } = found;
  if (signatures.length + wrong.length === 0) return [];
  // Built into the same folder. Contains the verification code, which other commands do not need.
  const { verifySignatures } = require("./ui.cjs") as { verifySignatures: typeof VerifySignatures };
  const bad = await verifySignatures(found);
  if (bad.length > 0)
    return bad.map(({ seq, detail }) => ({ name: "passkey", ok: false, detail: `${run}: event ${seq}: ${detail}` }));
  const told = `${run}: ${signatures.length} signed decisions, in order${vouchers(signatures)}${pages(signatures)}`;
  return [{ name: "passkey", ok: true, detail: told }];
}

/** States what an origin proves, and what it does not. */
function pages(signatures: readonly Signature[]): string {
  const origins = [...new Set(signatures.flatMap(({ signature }) => statedOrigin(signature.statement) ?? []))];
  if (origins.length === 0) return "";
  return `; signed on ${origins.join(", ")}: the address of the page with its port, not which program served it`;
}

/** Address of the web UI in a signed decision; null for decisions recorded without one. */
function statedOrigin(statement: string): string | null {
  const origin = ownValue(JSON.parse(statement), "origin");
  return typeof origin === "string" ? plainLine(origin, 200) : null;
}

/** Names the servers that state to whom the keys belong. */
function vouchers(signatures: readonly Signature[]): string {
  const vouched = signatures.filter(({ signature, key }) => signature.key === key);
  const hosts = new Set(vouched.map(({ key }) => key.relyingParty ?? ""));
  return hosts.size === 0 ? "" : `; whose keys they are, the server of ${[...hosts].join(", ")} says`;
}
