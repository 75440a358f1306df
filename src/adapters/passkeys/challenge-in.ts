import { ownValue } from "../../core/own-value.ts";

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
