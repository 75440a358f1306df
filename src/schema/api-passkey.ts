import * as z from "zod/mini";

const text = (most: number) => z.string().check(z.maxLength(most));
/** Maximum length of a field sent by an authenticator or a browser, in characters. */
const MAX_FIELD_LENGTH = 100_000;

/** Signature of a decision by a passkey, base64url. */
export const Assertion = z.strictObject({
  id: text(2000),
  clientData: text(MAX_FIELD_LENGTH),
  authenticatorData: text(MAX_FIELD_LENGTH),
  signature: text(MAX_FIELD_LENGTH),
});
export type Assertion = z.infer<typeof Assertion>;

/** Challenge that the browser must have signed for one decision. */
export const Challenge = z.object({ challenge: z.string(), relyingParty: z.string(), passkeys: z.array(z.string()) });
export type Challenge = z.infer<typeof Challenge>;

/** Passkey created by the browser. The code that registers it verifies it. */
export const NewPasskey = z.strictObject({
  name: text(100),
  response: z.object({
    id: text(2000),
    rawId: text(2000),
    type: z.literal("public-key"),
    response: z.object({ clientDataJSON: text(MAX_FIELD_LENGTH), attestationObject: text(MAX_FIELD_LENGTH) }),
  }),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** Passkeys of the user who is signed in to a team's web UI. */
export const PasskeyList = z.object({
  passkeys: z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() })),
});
export type PasskeyList = z.infer<typeof PasskeyList>;

/** Sign-in methods of a team's web UI, in addition to tokens. */
export type WaysToSignIn = {
  readonly hasPasskeys: boolean;
  /** Host of the OpenID provider, if one is configured. */
  readonly provider: string | null;
};

/** `isOffered`: true if the attestation of a run can be signed here with a passkey. */
export type StatementOffer = { readonly isOffered: boolean };
/** Description of the signed attestation. */
export type StatementSignature = { readonly lines: readonly string[] };
