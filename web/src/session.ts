import { apiBase, isTeam } from "./served-by.ts";

/** Path of an invitation link. Its secret follows `#`. */
const INVITATION = "/invitation";
const STORED = "isdlc.session";
const channel = new BroadcastChannel("isdlc");
// oxlint-disable unicorn/require-post-message-target-origin -- a channel reaches pages of this origin only
const ANSWER_WITHIN = 400; // milliseconds for another tab to respond

let session: string | null = sessionStorage.getItem(STORED);
const listeners = new Set<() => void>();

type Spoken = { readonly ask: true } | { readonly session: string };

/**
 * Shares the session between the tabs of a browser: a second tab needs no link, and a new link is enough for all tabs.
 */
channel.addEventListener("message", ({ data }: MessageEvent<Spoken>) => {
  if ("ask" in data) {
    if (session !== null) channel.postMessage({ session } satisfies Spoken);
  } else if (data.session !== session) keep(data.session);
});

/** Exchanges a new link pasted into an open tab, and removes its secret from the address. */
window.addEventListener("hashchange", () => {
  const secret = isTeam || !SECRET.test(location.hash) ? "" : takenFromAddress();
  if (secret !== "") void exchange(secret).then((isKnown) => (isKnown ? location.reload() : onStaleLink()));
});

/** Format of a secret in the address. Other fragments, such as `#content`, are places on the page. */
const SECRET = /^#[A-Za-z0-9_-]{40,}$/;

let onStaleLink = (): void => undefined;

/** Sets the handler for a pasted link that is no longer valid. */
export const whenLinkIsStale = (explain: () => void): void => void (onStaleLink = explain);

export const currentSession = (): string | null => session;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keep(value: string): void {
  session = value;
  sessionStorage.setItem(STORED, value);
  for (const listener of listeners) listener();
}

export type SessionState = "open" | "used" | "closed" | "signed out" | "invited";

/** Exchanges the secret in the address for a session of this browser. */
export async function openSession(): Promise<SessionState> {
  if (isTeam && location.pathname === INVITATION) return "invited";
  if (isTeam) return (await fetch(`${apiBase}/project`)).status === 401 ? "signed out" : "open";
  const secret = takenFromAddress();
  if (secret !== "" && session === null) await askOtherTabs();
  if (secret !== "") return (await exchange(secret)) || session !== null ? "open" : "used";
  if (session !== null) return "open";
  return (await askOtherTabs()) ? "open" : "closed";
}

/** Returns the secret after `#`, and removes it from the address. */
export function takenFromAddress(): string {
  const secret = location.hash.slice(1);
  if (secret !== "") history.replaceState(null, "", location.pathname + location.search);
  return secret;
}

async function exchange(secret: string): Promise<boolean> {
  const response = await fetch(`${apiBase}/session`, {
    method: "POST",
    // A browser with a session keeps it, and may open the link again.
    headers: {
      "Content-Type": "application/json",
      ...(session === null ? {} : { Authorization: `Bearer ${session}` }),
    },
    body: JSON.stringify({ secret }),
  });
  if (!response.ok) return false;
  const found = (await response.json()) as { session: string };
  keep(found.session);
  channel.postMessage({ session: found.session } satisfies Spoken);
  return true;
}

function askOtherTabs(): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = onSession(() => end(true));
    const timer = setTimeout(() => end(false), ANSWER_WITHIN);
    const end = (found: boolean): void => {
      clearTimeout(timer);
      stop();
      resolve(found);
    };
    channel.postMessage({ ask: true } satisfies Spoken);
  });
}
