// oxlint-disable-next-line import/default -- made by the bundler
import workerUrl from "./markdown-worker.ts?worker&url";
import type { ParseReply, ParseRequest, TreeNode } from "./tree.ts";

export type ParsedMarkdown = readonly TreeNode[] | null;

/** Slower documents are displayed as source. */
const PARSE_TIMEOUT_MS = 10_000;
/** Number of cached documents, to render them again when they come back into view. */
const MAX_REMEMBERED_DOCUMENTS = 200;

type PendingParse = ParseRequest & { readonly resolve: (nodes: ParsedMarkdown) => void };

const remembered = new Map<string, Promise<ParsedMarkdown>>();
const queue: PendingParse[] = [];
let worker: Worker | null = null;
let timer = 0;
let lastId = 0;

/**
 * Parses a document. Returns null if it must be displayed as source. Parses one document at a time, to give each the
 * full time limit.
 */
export function parseInWorker(text: string): Promise<ParsedMarkdown> {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const parsed = new Promise<ParsedMarkdown>((resolve) => {
    queue.push({ id: ++lastId, text, resolve });
    if (queue.length === 1) next();
  });
  if (remembered.size >= MAX_REMEMBERED_DOCUMENTS) remembered.clear();
  remembered.set(text, parsed);
  return parsed;
}

function next(): void {
  const [first] = queue;
  if (first === undefined) return;
  worker ??= startWorker();
  timer = window.setTimeout(() => giveUp(), PARSE_TIMEOUT_MS);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  worker.postMessage({ id: first.id, text: first.text } satisfies ParseRequest);
}

function finish(nodes: ParsedMarkdown): void {
  clearTimeout(timer);
  queue.shift()?.resolve(nodes);
  next();
}

function giveUp(): void {
  worker?.terminate();
  worker = null;
  finish(null);
}

type ScriptUrlPolicy = { createScriptURL(url: string): string };
type PolicyFactory = {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptUrlPolicy;
};

/** The page accepts script URLs only from a named policy. This policy allows a single URL, from this bundle. */
function startWorker(): Worker {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes; // not supported by all browsers
  const policy = (trusted ??= factory?.createPolicy("isdlc-worker", { createScriptURL: () => workerUrl }));
  const started = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<ParseReply>) => {
    if (data.id === queue[0]?.id) finish(data.nodes);
  });
  started.addEventListener("error", giveUp);
  return started;
}

let trusted: ScriptUrlPolicy | undefined;
