export type Tokens = { readonly input: number; readonly output: number };

/**
 * A conversation and what it had used when it was left. Codex tells what a conversation used since its first turn,
 * so what one execution used can only be told by who remembers what came before.
 */
export type CodexConversation = { readonly id: string; readonly before: Tokens };

/** The conversation as the one text that the journal keeps. */
export function conversationText({ id, before }: CodexConversation): string {
  return `${id}/${before.input}/${before.output}`;
}

/** Null for a text that is none of ours, such as the conversation of another product. */
export function readConversation(text: string): CodexConversation | null {
  const [, id, input, output] = KEPT.exec(text) ?? [];
  return id === undefined ? null : { id, before: { input: Number(input), output: Number(output) } };
}

/** An id begins with no dash, so that it cannot be taken for an option. */
const KEPT = /^([0-9a-f][0-9a-f-]{35})\/([0-9]{1,15})\/([0-9]{1,15})$/;
