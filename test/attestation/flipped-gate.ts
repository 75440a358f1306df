import { type GateSignersReading, checkGateSigners } from "../../src/adapters/attestation/check-gate-signers.ts";
import type { RunStatement, SignedGate } from "../../src/schema/attestation.ts";
import { approved, decisionText, signedDecision, signerLine, withGates } from "./passkeys.ts";
import { createStudio } from "./studio.ts";

const studio = createStudio();
const signers = studio.signers("passkeys", signerLine("ada@example.org"));
const { phases } = studio.statement.predicate;
const run = { run: studio.statement.predicate.run, start: studio.statement.predicate.git.start.commit };
const small: RunStatement = {
  ...studio.statement,
  predicate: { ...studio.statement.predicate, phases: phases.slice(0, 1) },
};
const gate = phases[0]?.gates[0];
if (gate === undefined) throw new Error("the statement has no gate");
const signed = signedDecision(decisionText(run, gate));

/** Checks the gate as part of a statement with a valid signature. */
export const check = (forged: SignedGate): Promise<GateSignersReading> =>
  checkGateSigners(
    withGates(small, (one) => ({ ...approved(run, one), signed: forged })),
    { signers, now: Date.now(), answers: new Map() },
  );

export const untouched = signed;

/** Copies of a signed gate, each with one bit flipped in the signed text or the signature. */
export function flippedGates(): SignedGate[] {
  const flipsOf = (bytes: Buffer): Buffer[] =>
    Array.from(bytes, (byte, at) => {
      const copy = Buffer.from(bytes);
      copy[at] = byte ^ (1 << (at % 7));
      return copy;
    });
  return [
    ...flipsOf(Buffer.from(signed.statement)).map((text) => ({ ...signed, statement: text.toString("utf8") })),
    ...flipsOf(Buffer.from(signed.sig, "base64")).map((sig) => ({ ...signed, sig: sig.toString("base64") })),
  ];
}
