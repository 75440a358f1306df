import { api } from "../api.ts";
import { isTeam } from "../served-by.ts";
import type { ReviewComment } from "../../../src/schema/comments.ts";

/** An unsent comment, updated at each keystroke. */
export type DraftComment = ReviewComment & {
  /** True while its editor is open. */
  readonly isOpen?: boolean;
  /** Content before the comment was edited again. */
  readonly before?: Pick<ReviewComment, "text" | "suggestion">;
};

/** Unsent text of a user at one gate. */
export type CommentDraft = { readonly guidance: string; readonly comments: readonly DraftComment[] };

export const EMPTY: CommentDraft = { guidance: "", comments: [] };
const PREFIX = "isdlc.draft.";
const SEND_DELAY_MS = 400;

const storageKey = (run: string, wait: string): string => `${PREFIX}${run}.${wait}`;
const listeners = new Set<() => void>();
/** Drafts that the browser could not store, by key. */
const unsaved = new Map<string, string>();
const timers = new Map<string, number>();

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

export const readText = (run: string, wait: string): string | null => textAt(storageKey(run, wait));

function textAt(key: string): string | null {
  const text = unsaved.get(key);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is disabled; text stays in this tab
  }
}

export function parseDraft(text: string | null): CommentDraft {
  if (text === null) return EMPTY;
  try {
    const { guidance, comments } = JSON.parse(text) as Partial<CommentDraft>;
    return { guidance: guidance ?? "", comments: Array.isArray(comments) ? comments : [] };
  } catch {
    return EMPTY;
  }
}

/** Updates the stored draft, which another tab may have changed. */
export function updateDraft(
  at: { readonly run: string; readonly wait: string },
  change: (now: CommentDraft) => CommentDraft,
): void {
  const next = change(parseDraft(readText(at.run, at.wait)));
  const isEmpty = next.guidance === "" && next.comments.length === 0;
  store(storageKey(at.run, at.wait), isEmpty ? null : JSON.stringify(next));
  sendLater(at);
}

function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    unsaved.delete(key);
  } catch {
    if (text === null) unsaved.delete(key);
    else unsaved.set(key, text);
  }
  for (const listener of listeners) listener();
}

/**
 * Sends a copy to the server, for other browsers and for this browser on another port. A team's web UI has one address
 * and needs no copy.
 */
function sendLater(at: { readonly run: string; readonly wait: string }): void {
  if (isTeam) return;
  const key = storageKey(at.run, at.wait);
  clearTimeout(timers.get(key));
  timers.set(
    key,
    window.setTimeout(() => send(at), SEND_DELAY_MS),
  );
}

function send({ run, wait }: { readonly run: string; readonly wait: string }): void {
  const key = storageKey(run, wait);
  timers.delete(key);
  const text = textAt(key);
  void api.saveDraft(run, { wait, text }).then(
    () => unsaved.delete(key),
    () => undefined, // this browser has a copy; the next keystroke tries again
  );
}

/** Loads drafts that the server has and this browser does not. */
export async function fetchDrafts(run: string): Promise<void> {
  if (isTeam) return;
  const { drafts } = await api.drafts(run);
  for (const [wait, text] of Object.entries(drafts))
    if (readText(run, wait) === null) store(storageKey(run, wait), text);
}

/** Lists the gates of a run for which this browser has drafts. */
export function waitsWithDrafts(run: string): string[] {
  const prefix = storageKey(run, "");
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  } catch {
    return [];
  }
}

/** Asks before leaving only if text would be lost. */
window.addEventListener("beforeunload", (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

window.addEventListener("pagehide", () => {
  for (const [key, timer] of timers) {
    clearTimeout(timer);
    const [run = "", ...wait] = key.slice(PREFIX.length).split(".");
    send({ run, wait: wait.join(".") });
  }
});
