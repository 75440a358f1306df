import { parseMarkdown } from "./parse-markdown.ts";
import type { ParseReply, ParseRequest } from "./tree.ts";

/** Parses documents outside the page's main thread: a slow document does not block decisions. */
self.addEventListener("message", ({ data: { id, text } }: MessageEvent<ParseRequest>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one page
  self.postMessage({ id, nodes: parsed(text) } satisfies ParseReply);
});

/** Returns null if the parser fails, for example because the text is nested too deeply for its stack. */
function parsed(text: string): ParseReply["nodes"] {
  try {
    return parseMarkdown(text);
  } catch {
    return null;
  }
}
