import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { ProblemError } from "../../core/problem.ts";
import type { NewPasskey } from "../../schema/api-passkey.ts";
import type { PasskeyKey } from "../../schema/passkey.ts";
import { relyingPartyId } from "./relying-party.ts";
import type { Passkey } from "../../ports/callers.ts";

/** COSE numbers of algorithms. The first is preferred: OpenSSH verifies its signatures, so they can be exported. */
const [ES256, ED25519, RS256] = [-7, -8, -257];

export type RegistrationOptions = PublicKeyCredentialCreationOptionsJSON;

export type Registrant = {
  readonly person: string;
  readonly relyingParty: string;
  /** Passkeys that the browser must not register again. */
  readonly known: readonly PasskeyKey[];
  /** `required`: the authenticator stores the passkey, and can offer it without being given its id. */
  readonly residentKey: "preferred" | "required";
};

/** Returns the options of the registration request to the browser. */
export async function registrationOptions(registrant: Registrant): Promise<RegistrationOptions> {
  const { person, relyingParty, known, residentKey } = registrant;
  const { generateRegistrationOptions } = await import("@simplewebauthn/server"); // large, so loaded only when needed
  return generateRegistrationOptions({
    rpName: "iSDLC",
    rpID: relyingParty,
    userName: person,
    attestationType: "none",
    supportedAlgorithmIDs: [ES256, ED25519, RS256],
    authenticatorSelection: { residentKey, userVerification: "required" },
    excludeCredentials: known.map(({ id }) => ({ id })),
  });
}

export type RegistrationContext = { readonly challenge: string; readonly origin: string; readonly now: string };

/**
 * Verifies the browser's answer to the registration options.
 * @throws ProblemError PASSKEY_REFUSED if the answer does not fit the options.
 */
export async function registeredPasskey(
  { name, response }: NewPasskey,
  { challenge, origin, now }: RegistrationContext,
): Promise<Passkey> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const found = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: relyingPartyId(origin),
    requireUserVerification: true,
  }).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ProblemError({ code: "PASSKEY_REFUSED", detail }, { cause: error });
  });
  if (!found.verified) throw new ProblemError({ code: "PASSKEY_REFUSED", detail: "the browser's answer does not fit" });
  const { id, publicKey, counter } = found.registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString("base64url"), counter, name, createdAt: now };
}
