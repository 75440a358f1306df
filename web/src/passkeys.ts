import {
  type PublicKeyCredentialCreationOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { Assertion, Challenge, NewPasskey } from "../../src/schema/api-passkey.ts";

/** Asks the user to sign a decision with a passkey. */
export async function sign({ challenge, relyingParty, passkeys }: Challenge): Promise<Assertion> {
  const { id, response } = await startAuthentication({
    optionsJSON: {
      challenge,
      rpId: relyingParty,
      allowCredentials: passkeys.map((passkey) => ({ id: passkey, type: "public-key" })),
      userVerification: "required",
    },
  });
  const { clientDataJSON: clientData, authenticatorData, signature } = response;
  return { id, clientData, authenticatorData, signature };
}

export type CreationOptions = PublicKeyCredentialCreationOptionsJSON;

/** Asks the user to create a passkey. */
export async function makePasskey(options: CreationOptions, name: string): Promise<NewPasskey> {
  const { id, rawId, response } = await startRegistration({ optionsJSON: options });
  const { clientDataJSON, attestationObject } = response;
  return { name, response: { id, rawId, type: "public-key", response: { clientDataJSON, attestationObject } } };
}
