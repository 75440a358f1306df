import * as z from "zod/mini";

const text = (most: number) => z.string().check(z.maxLength(most));
/** Longest that an authenticator or a browser sends, in characters. */
const MAX_FIELD_LENGTH = 100_000;

/** A passkey's signature on a decision, base64url. */
export const Assertion = z.strictObject({
  id: text(2000),
  clientData: text(MAX_FIELD_LENGTH),
  authenticatorData: text(MAX_FIELD_LENGTH),
  signature: text(MAX_FIELD_LENGTH),
});
export type Assertion = z.infer<typeof Assertion>;

/** What the browser has to have signed for one decision. */
export const Challenge = z.object({ challenge: z.string(), relyingParty: z.string(), passkeys: z.array(z.string()) });
export type Challenge = z.infer<typeof Challenge>;

/** What the browser made; checked by whoever registers it. */
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

/** The passkeys of whoever is signed in at a team's page. */
export const PasskeyList = z.object({
  passkeys: z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() })),
});
export type PasskeyList = z.infer<typeof PasskeyList>;

/** How people can sign in at a team's page besides with a token. */
export type WaysToSignIn = {
  readonly hasPasskeys: boolean;
  /** Host of the OpenID provider; null without one. */
  readonly provider: string | null;
};

/** Whether the statement about a run can be signed with a passkey here. */
export type StatementOffer = { readonly isOffered: boolean };
/** What was signed, in words. */
export type StatementSignature = { readonly lines: readonly string[] };
