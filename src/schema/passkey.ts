import * as z from "zod/mini";

/** A registered passkey: the id of its credential and its public key (COSE), both base64url. */
export const PasskeyKey = z.strictObject({ id: z.string(), publicKey: z.string() });
export type PasskeyKey = z.infer<typeof PasskeyKey>;

/** A decision as it was signed: the statement word for word, and what browser and authenticator made of it (base64url). */
export const PasskeySignature = z.strictObject({
  /** Id of the credential. */
  passkey: z.string(),
  /** JSON of a `SignedStatement`; its SHA-256 is the challenge that was signed. */
  statement: z.string(),
  clientData: z.string(),
  authenticatorData: z.string(),
  bytes: z.string(),
});
export type PasskeySignature = z.infer<typeof PasskeySignature>;
