import { createHash } from "node:crypto";
import { ownValue } from "../../core/own-value.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import { challengeFor } from "./ssh-form.ts";

/** Namespace of decision signatures. A signature for another purpose has another namespace, and is refused. */
export const DECISION_NAMESPACE = "decision@isdlc";

/** Returns the challenge that a passkey signs for a decision. */
export const decisionChallenge = (statement: string): string =>
  challengeFor(Buffer.from(statement, "utf8"), DECISION_NAMESPACE);

/** Digest that represents the user's text in a signed statement. */
export const wordsDigest = (words: string): string => createHash("sha256").update(words).digest("hex");

/** Returns true if the signed statement contains the digest of this text. */
export function areWordsSigned({ statement, words }: Pick<PasskeySignature, "statement" | "words">): boolean {
  try {
    return ownValue(JSON.parse(statement), "words") === wordsDigest(words);
  } catch {
    return false; // not JSON, so not a statement of isdlc
  }
}

/** Returns the challenge named in the browser's client data, or an empty string if it names none. */
export function challengeIn(clientData: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientData, "base64url").toString("utf8"));
    const challenge = ownValue(data, "challenge");
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}
