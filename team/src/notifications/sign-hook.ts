import { createHmac, randomBytes } from "node:crypto";

const BEGINNING = "whsec_";
const HOOK_SECRET_BYTES = 32;

export const newHookSecret = (): string => BEGINNING + randomBytes(HOOK_SECRET_BYTES).toString("base64");

export type SignedHook = { readonly id: string; readonly body: string; readonly at: Date };

/** Returns the signature headers of the Standard Webhooks specification, supported by libraries for receivers. */
export function hookHeaders(secret: string, { id, body, at }: SignedHook): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice(BEGINNING.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
