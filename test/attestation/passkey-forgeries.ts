import { execFileSync } from "node:child_process";
import { readSigningKey } from "../../src/adapters/attestation/ssh-signature.ts";
import { DECISION_NAMESPACE } from "../../src/adapters/identity/decision-challenge.ts";
import type { AttestedGate, SignedGate } from "../../src/schema/attestation.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { type Forgery, studio } from "./forgeries.ts";
import { approved, decisionText, passkeyEnvelope, signedDecision, signerLine, withGates } from "./passkeys.ts";

const { statement, keys } = studio;
const run = { run: statement.predicate.run, start: statement.predicate.git.start.commit };
const other = createAuthenticator("http://localhost:21000", "b3RoZXI");

const known = (): string =>
  studio.signers("with-passkey", `ada@example.org ${keys.ada.public}`, signerLine("ada@example.org"));

/** Ada's own key signs the statement; the passkey signature in it is forged. */
const forged = (name: string, why: RegExp, change: (gate: AttestedGate) => AttestedGate): Forgery => ({
  name,
  line: () => studio.sign(withGates(statement, change)),
  why,
  signers: known,
});

const signing = (text: (gate: AttestedGate) => string) => (gate: AttestedGate) => ({
  ...approved(run, gate),
  signed: signedDecision(text(gate)),
});
const changed = (change: (signed: SignedGate) => Partial<SignedGate>) => (gate: AttestedGate) => {
  const signed = signedDecision(decisionText(run, gate));
  return { ...approved(run, gate), signed: { ...signed, ...change(signed) } };
};

const FITS_NOT = /gate of plan: the signature does not fit/;

/** Approvals without a valid passkey signature, each with the expected reason. */
export const passkeyForgeries: readonly Forgery[] = [
  forged(
    "decision of another run",
    /belongs to another run/,
    signing((gate) => decisionText({ ...run, run: "20260101-000000000-aaaa" }, gate)),
  ),
  forged(
    "decision at another gate",
    /belongs to another gate/,
    signing((gate) => decisionText(run, { ...gate, wait: "plan#9/gate-1" })),
  ),
  forged(
    "different answer than signed",
    /another answer was signed/,
    signing((gate) => decisionText(run, { ...gate, decision: "redo" })),
  ),
  forged(
    "different summary than displayed",
    /something else than was shown/,
    signing((gate) => decisionText(run, { ...gate, shown: "0".repeat(64) })),
  ),
  forged(
    "decision without the user's text",
    /does not cover the written text/,
    signing((gate) => decisionText(run, gate).replace(/"words":"a+",/, "")),
  ),
  forged(
    "decision with a duplicate option",
    /not a decision/,
    signing((gate) => decisionText(run, gate).replace("{", '{"option":"redo",')),
  ),
  forged(
    "different files than accepted",
    /other files than were accepted/,
    signing((gate) => decisionText(run, { ...gate, tree: "1".repeat(40) })),
  ),
  forged(
    "decision of a run that started at another commit",
    /started at another commit/,
    signing((gate) => decisionText({ ...run, start: "1".repeat(40) }, gate)),
  ),
  forged(
    "decision for another web page",
    /another page than it names/,
    signing((gate) => decisionText(run, gate).replace("localhost:21000", "localhost:21001")),
  ),
  forged(
    "decision signed on another web page",
    /signed on the page "http:..evil.example"/,
    changed(({ statement: text }) => {
      const moved = text.replace("http://localhost:21000", "http://evil.example");
      return signedDecision(moved, { origin: "http://evil.example" });
    }),
  ),
  forged(
    "invalid signed text",
    /not a decision/,
    signing(() => "yes"),
  ),
  forged("passkey's answer presented as one of a terminal", /answered in another way/, (gate) => ({
    ...approved(run, gate),
    by: gate.by,
  })),
  forged(
    "signed text changed afterwards",
    FITS_NOT,
    changed(({ statement: text }) => ({ statement: text.replace('"nonce":"n"', '"nonce":"m"') })),
  ),
  forged(
    "signature of another decision",
    FITS_NOT,
    changed(() => ({ sig: signedDecision("{}").sig })),
  ),
  forged(
    "passkey's signature of a statement instead of a decision",
    FITS_NOT,
    changed(({ statement: text }) => signedDecision(text, { namespace: "attestation@isdlc" })),
  ),
  forged(
    "own passkey that claims to be a listed one",
    /names another key/,
    changed(({ statement: text }) => ({ sig: signedDecision(text, { with: other }).sig })),
  ),
  forged(
    "decision for another relying party",
    FITS_NOT,
    changed(({ statement: text }) => signedDecision(text, { relyingParty: "evil.example" })),
  ),
  forged(
    "passkey's answer of another kind",
    /another page than it names/,
    changed(({ statement: text }) => signedDecision(text, { type: "webauthn.create" })),
  ),
  forged(
    "passkey without user verification",
    /did not verify who was there/,
    changed(({ statement: text }) => signedDecision(text, { isVerified: false })),
  ),
  forged(
    "SSH key instead of a passkey",
    /not signed with a passkey/,
    changed(({ statement: text }) => signedWithSsh(text)),
  ),
  forged(
    "non-canonical signature",
    /not signed with a passkey|a field has a wrong value/,
    changed(({ sig }) => ({ sig: `${sig}=` })),
  ),
  {
    name: "statement signed with an unlisted passkey",
    line: () => passkeyEnvelope(statement, { with: other }),
    why: /not on the list of signers/,
    signers: known,
  },
  {
    name: "statement signed with a passkey without user verification",
    line: () => passkeyEnvelope(statement, { isVerified: false }),
    why: /did not verify who was there/,
    signers: known,
  },
  {
    name: "decision's signature instead of the statement's",
    line: () => passkeyEnvelope(statement, { namespace: DECISION_NAMESPACE }),
    why: /the signature does not fit the statement/,
    signers: known,
  },
];

/** Ada's unlocked SSH key, which a program that runs as her can use. */
function signedWithSsh(text: string): SignedGate {
  const armored = execFileSync("ssh-keygen", ["-Y", "sign", "-n", DECISION_NAMESPACE, "-f", keys.ada.file], {
    input: text,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const sig = Buffer.from(armored.toString().replaceAll(/-----.*-----|\n/g, ""), "base64");
  return { statement: text, keyid: readSigningKey(sig) ?? "", sig: sig.toString("base64") };
}
