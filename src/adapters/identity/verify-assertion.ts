import { ownValue } from "../../core/own-value.ts";
import type { PasskeyAssertion, PasskeyKey, PasskeySignature } from "../../schema/passkey.ts";
import { areWordsSigned, decisionChallenge } from "./decision-challenge.ts";
import { isRelyingPartyPage, THIS_MACHINE } from "./relying-party.ts";

export type ExpectedAssertion = {
  readonly key: PasskeyKey;
  /** Of the page; null for any page that the passkey was made for, for whoever verifies later. */
  readonly origin: string | null;
  /** The authenticator's last count, 0 where nobody knows it. */
  readonly counter: number;
};

export type Verification =
  | { readonly ok: true; readonly counter: number }
  | { readonly ok: false; readonly detail: string };

/** Was this very decision, with these words, signed with this key? */
export async function verifyDecision(signature: PasskeySignature, expected: ExpectedAssertion): Promise<Verification> {
  if (!areWordsSigned(signature)) return { ok: false, detail: "other words were signed" };
  const stated = statedOrigin(signature.statement);
  if (stated !== null && stated !== signedOrigin(signature.clientData))
    return { ok: false, detail: `it was signed on another page than it names: ${stated}` };
  return verifyAssertion(signature, { ...expected, challenge: decisionChallenge(signature.statement) });
}

/** Was this challenge signed with this key, on our page, by somebody the authenticator has verified? */
export async function verifyAssertion(
  signature: PasskeyAssertion,
  { key, origin, counter, challenge }: ExpectedAssertion & { readonly challenge: string },
): Promise<Verification> {
  const { relyingParty = THIS_MACHINE } = key;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server"); // large: read when something is signed
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

/** The page, with its port, that a decision names; null for those of before decisions named one. */
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

/** The origin a signature was made at, where that is a page of this host. */
function originAt(relyingParty: string, clientData: string): string {
  const origin = signedOrigin(clientData);
  if (typeof origin === "string" && isRelyingPartyPage(relyingParty, origin)) return origin;
  throw new Error(`it was made on another page: ${String(origin)}`);
}
