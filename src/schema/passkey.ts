import * as z from "zod/mini";

/** A registered passkey: credential id and public key (COSE), both base64url. */
export const PasskeyKey = z.strictObject({
  id: z.string(),
  publicKey: z.string(),
  /** Host of the team's web UI that created it. Missing for a passkey created on the user's machine. */
  relyingParty: z.optional(z.string()),
});
export type PasskeyKey = z.infer<typeof PasskeyKey>;

/** Response of browser and authenticator to a challenge (base64url). */
const assertion = {
  /** Credential id. */
  passkey: z.string(),
  clientData: z.string(),
  authenticatorData: z.string(),
  bytes: z.string(),
};
const PasskeyAssertion = z.strictObject(assertion);
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** A decision with its exact signed text. */
export const PasskeySignature = z.strictObject({
  ...assertion,
  /** Signed JSON: run, wait, option, summary digest, and the digest of `words`. */
  statement: z.string(),
  /** JSON of the user's text, with a salt. It stays in the journal if the statement is shared. */
  words: z._default(z.string(), ""),
  /**
   * The key, for a run of a team, because its journal names no keys at the start. The server confirms the key's owner.
   */
  key: z.optional(PasskeyKey),
});
export type PasskeySignature = z.infer<typeof PasskeySignature>;
