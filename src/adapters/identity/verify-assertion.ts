import { ownValue } from "../../core/own-value.ts";
import type { PasskeyAssertion, PasskeyKey, PasskeySignature } from "../../schema/passkey.ts";
import { areWordsSigned, decisionChallenge } from "./decision-challenge.ts";
import { isRelyingPartyPage, THIS_MACHINE } from "./relying-party.ts";

export type ExpectedAssertion = {
  readonly key: PasskeyKey;
  /** Origin of the page. Null accepts every page that the passkey was made for, for later verification. */
  readonly origin: string | null;
  /** Last known counter of the authenticator, or 0. */
  readonly counter: number;
};

export type Verification =
  | { readonly ok: true; readonly counter: number }
  | { readonly ok: false; readonly detail: string };

/** Verifies that this key signed exactly this decision, with this text. */
export async function verifyDecision(signature: PasskeySignature, expected: ExpectedAssertion): Promise<Verification> {
  if (!areWordsSigned(signature)) return { ok: false, detail: "other words were signed" };
  const stated = statedOrigin(signature.statement);
  if (stated !== null && stated !== signedOrigin(signature.clientData))
    return { ok: false, detail: `it was signed on another page than it names: ${stated}` };
  return verifyAssertion(signature, { ...expected, challenge: decisionChallenge(signature.statement) });
}

/** Verifies that this key signed the challenge on an expected page, after the authenticator verified the user. */
export async function verifyAssertion(
  signature: PasskeyAssertion,
  { key, origin, counter, challenge }: ExpectedAssertion & { readonly challenge: string },
): Promise<Verification> {
  const { relyingParty = THIS_MACHINE } = key;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server"); // large, so loaded only for signatures
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: signature.passkey,
        rawId: signature.passkey,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: signature.clientData,
          authenticatorData: signature.authenticatorData,
          signature: signature.bytes,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin ?? originAt(relyingParty, signature.clientData),
      expectedRPID: relyingParty,
      requireUserVerification: true,
      credential: { id: key.id, publicKey: new Uint8Array(Buffer.from(key.publicKey, "base64url")), counter },
    });
    if (!verified) return { ok: false, detail: "it was not made with the registered passkey" };
    return { ok: true, counter: authenticationInfo.newCounter };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the origin, with port, named by the decision. Null for early decisions, which named none. */
function statedOrigin(statement: string): string | null {
  const origin = ownValue(parsed(statement), "origin");
  return typeof origin === "string" ? origin : null;
}

const signedOrigin = (clientData: string): unknown =>
  ownValue(parsed(Buffer.from(clientData, "base64url").toString("utf8")), "origin");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns the origin of the signature.
 * @throws Error if it is not a page of this host.
 */
function originAt(relyingParty: string, clientData: string): string {
  const origin = signedOrigin(clientData);
  if (typeof origin === "string" && isRelyingPartyPage(relyingParty, origin)) return origin;
  throw new Error(`it was made on another page: ${String(origin)}`);
}
