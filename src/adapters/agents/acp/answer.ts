import * as z from "zod/mini";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../../schema/agent.ts";

export type AcpAnswer =
  | { readonly how: "result"; readonly result: AgentResult }
  | { readonly how: "verdict"; readonly verdict: Verdict }
  | { readonly how: "missing" }
  | { readonly how: "invalid"; readonly detail: string };

/** Characters at the end of a message to search for the answer. */
const MAX_ANSWER_LENGTH = 256 * 1024;
/** Opening braces to try. */
const MAX_TRIES = 5000;

/**
 * Parses the JSON object that ends with the last closing brace of the final message. Earlier objects and those inside
 * a sentence are never used instead: they may be quotes.
 */
export function acpAnswer(message: string, role: AgentTask["role"]): AcpAnswer {
  const object = lastObject(message.slice(-MAX_ANSWER_LENGTH));
  if (object === null) return { how: "missing" };
  if (role === "phase") {
    const parsed = z.safeParse(AgentResult, object);
    return parsed.success ? { how: "result", result: parsed.data } : invalid(parsed.error);
  }
  const parsed = z.safeParse(Verdict, object);
  return parsed.success ? { how: "verdict", verdict: parsed.data } : invalid(parsed.error);
}

const invalid = (error: z.core.$ZodError): AcpAnswer => ({ how: "invalid", detail: z.prettifyError(error) });

function lastObject(text: string): object | null {
  const end = text.lastIndexOf("}") + 1;
  if (end === 0 || !/^[ \t]*(?:```[ \t]*)?(?:\r?\n|$)/.test(text.slice(end))) return null;
  let start = end;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    start = start === 0 ? -1 : text.lastIndexOf("{", start - 1);
    if (start === -1) return null;
    const object = parsedObject(text.slice(start, end));
    if (object !== null) return beginsLine(text, start) ? object : null;
  }
  return null;
}

function parsedObject(text: string): object | null {
  try {
    return JSON.parse(text) as object; // starts with a brace: always an object
  } catch {
    return null;
  }
}

/** Allows a code fence on the same line: the prompt asks for one. */
function beginsLine(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*(?:```(?:json)?[ \t]*)?$/.test(line);
}
