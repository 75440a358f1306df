import { isRecord } from "../../core/own-value.ts";
import { PAYLOAD_TYPE } from "../../schema/attestation.ts";

export type Signature = { readonly keyid: string; readonly sig: Buffer };

/** Payload with its signatures, as in the DSSE specification. */
export type Envelope = { readonly payload: Buffer; readonly signatures: readonly Signature[] };

export type EnvelopeReading =
  | { readonly is: "envelope"; readonly envelope: Envelope }
  | { readonly is: "refused"; readonly why: string };

/** Longer envelopes are neither written nor accepted. */
export const ENVELOPE_LIMIT = 4 * 1024 * 1024; // characters
const MAX_SIGNATURES = 20;

/**
 * Returns the bytes to sign: type and payload with their lengths, to keep either from passing for a part of the other.
 */
export function signedBytes(payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(PAYLOAD_TYPE)} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** Returns one line without its newline. An envelope has exactly one valid encoding. */
export function encodeEnvelope({ payload, signatures }: Envelope): string {
  return JSON.stringify({
    payload: payload.toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: sig.toString("base64") })),
  });
}

export function readEnvelope(line: string): EnvelopeReading {
  if (line.length > ENVELOPE_LIMIT) return refused(`it is longer than ${ENVELOPE_LIMIT} characters`);
  const value = parsed(line);
  if (!isRecord(value)) return refused("it is not a JSON object, or is cut off");
  if (value["payloadType"] !== PAYLOAD_TYPE) return refused("its payload is not an in-toto statement");
  const envelope = toEnvelope(value);
  if (envelope === null) return refused("it has no payload, or no signatures that can be read");
  // Rejects repeated keys, other encodings of the same text and unsigned additions.
  if (encodeEnvelope(envelope) !== line) return refused("it is not written the one way an envelope is written");
  return { is: "envelope", envelope };
}

function toEnvelope({ payload, signatures }: Record<string, unknown>): Envelope | null {
  if (typeof payload !== "string" || !Array.isArray(signatures)) return null;
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) return null;
  const read = signatures.map((signature: unknown) => {
    if (!isRecord(signature)) return null;
    const { keyid, sig } = signature;
    return typeof keyid === "string" && typeof sig === "string" ? { keyid, sig: Buffer.from(sig, "base64") } : null;
  });
  if (read.some((signature) => signature === null)) return null;
  return { payload: Buffer.from(payload, "base64"), signatures: read.filter((signature) => signature !== null) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the caller reports the reason
  }
}

const refused = (why: string): EnvelopeReading => ({ is: "refused", why });
