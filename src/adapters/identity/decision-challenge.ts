import { createHash } from "node:crypto";
import { ownValue } from "../../core/own-value.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import { challengeFor } from "./ssh-form.ts";

/** What signatures of decisions are for, so that none of them passes for a signature of anything else. */
export const DECISION_NAMESPACE = "decision@isdlc";

/** What has to be signed for a decision. */
export const decisionChallenge = (statement: string): string =>
  challengeFor(Buffer.from(statement, "utf8"), DECISION_NAMESPACE);

/** What stands for the words of a person where they themselves do not. */
export const wordsDigest = (words: string): string => createHash("sha256").update(words).digest("hex");

/** Are these the words that the signed statement has the digest of? */
export function areWordsSigned({ statement, words }: Pick<PasskeySignature, "statement" | "words">): boolean {
  try {
    return ownValue(JSON.parse(statement), "words") === wordsDigest(words);
  } catch {
    return false; // no JSON: nothing of ours was signed
  }
}

/** The challenge that a browser says it had signed; empty where what it sent says nothing. */
export function challengeIn(clientData: string): string {
  try {
    const told: unknown = JSON.parse(Buffer.from(clientData, "base64url").toString("utf8"));
    const challenge = ownValue(told, "challenge");
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}
