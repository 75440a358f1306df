import * as z from "zod/mini";

/** A registered passkey: the id of its credential and its public key (COSE), both base64url. */
export const PasskeyKey = z.strictObject({
  id: z.string(),
  publicKey: z.string(),
  /** Host of the team's page it was made at; missing for one that was made on the person's own machine. */
  relyingParty: z.optional(z.string()),
});
export type PasskeyKey = z.infer<typeof PasskeyKey>;

/** What browser and authenticator made of a challenge (base64url). */
const assertion = {
  /** Id of the credential. */
  passkey: z.string(),
  clientData: z.string(),
  authenticatorData: z.string(),
  bytes: z.string(),
};
const PasskeyAssertion = z.strictObject(assertion);
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** A decision as it was signed, word for word. */
export const PasskeySignature = z.strictObject({
  ...assertion,
  /** JSON that is signed: run, wait, option, what was shown, and the digest of `words`. */
  statement: z.string(),
  /** JSON of what the person wrote, with a salt: it stays in the journal when the statement travels. */
  words: z._default(z.string(), ""),
  /** The key, for a run of a team, whose journal names none at its start: the server vouches for whose it is. */
  key: z.optional(PasskeyKey),
});
export type PasskeySignature = z.infer<typeof PasskeySignature>;
