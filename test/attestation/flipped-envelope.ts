import { type Belief, believeEnvelope } from "../../src/adapters/attestation/believe-envelope.ts";
import { readEnvelope } from "../../src/adapters/attestation/dsse.ts";
import { readStatement } from "../../src/adapters/attestation/read-statement.ts";
import type { RunStatement } from "../../src/schema/attestation.ts";
import { createStudio } from "./studio.ts";

const studio = createStudio();
const signers = studio.signers("known", `ada@example.org ${studio.keys.ada.public}`);

/** One commit and one phase: every kind of field in as few bytes as possible. */
function smallStatement({ statement }: typeof studio): RunStatement {
  const { subject, predicate } = statement;
  return {
    ...statement,
    subject: subject.slice(0, 1),
    predicate: { ...predicate, phases: predicate.phases.slice(0, 1), states: predicate.states.slice(0, 1) },
  };
}

export const envelope = Buffer.from(await studio.sign(smallStatement(studio)));
export const believe = (line: string): Promise<Belief> =>
  believeEnvelope(line, { signers, now: Date.now(), answers: new Map() });

export type Flip = { readonly at: number; readonly line: string };

const BITS = 8;

/** Copies of the envelope, each with one bit flipped. */
export function everyFlip(): Flip[] {
  return Array.from({ length: envelope.length * BITS }, (_, index) => {
    const at = Math.floor(index / BITS);
    const copy = Buffer.from(envelope);
    copy[at] = (copy[at] ?? 0) ^ (1 << (index % BITS));
    return { at, line: copy.toString("utf8") };
  });
}

/** True if only the signature reveals the change. */
export function isReadable({ line }: Flip): boolean {
  const reading = readEnvelope(line);
  return reading.is === "envelope" && readStatement(reading.envelope.payload).is !== "refused";
}
