import { join } from "node:path";
import type { Environment } from "../../process/child-environment.ts";

export type ConversationTokens = { readonly input: number; readonly output: number };

/**
 * Conversation, and its usage at the end of the last execution. Codex reports the usage since the first turn of a
 * conversation: the usage of one execution is the difference.
 */
export type CodexConversation = { readonly id: string; readonly before: ConversationTokens };

/** Returns the conversation as one text for the journal. */
export function conversationText({ id, before }: CodexConversation): string {
  return `${id}/${before.input}/${before.output}`;
}

/** Returns null for other formats, such as the conversation of another product. */
export function readConversation(text: string): CodexConversation | null {
  const [, id, input, output] = KEPT.exec(text) ?? [];
  return id === undefined ? null : { id, before: { input: Number(input), output: Number(output) } };
}

/** An id starts without a dash, to never pass for an option. */
const KEPT = /^([0-9a-f][0-9a-f-]{35})\/([0-9]{1,15})\/([0-9]{1,15})$/;

/** Returns the folder of Codex's own files. Relative paths are ignored: they would lead into the repository. */
export function codexHome(env: Environment, home: string): string {
  const set = env["CODEX_HOME"] ?? "";
  return set.startsWith("/") ? set : join(home, ".codex");
}
