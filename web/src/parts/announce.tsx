import { useSyncExternalStore } from "react";

type Announcement = { readonly text: string; readonly tone: "plain" | "bad" };

let told: Announcement | null = null;
const listeners = new Set<() => void>();
let timer = 0;
const SHOWN_FOR = 6000; // milliseconds

/** Displays a message, also for screen readers. Errors stay until the user closes them. */
export function announce(text: string, tone: Announcement["tone"] = "plain"): void {
  clearTimeout(timer);
  set({ text, tone });
  if (tone === "plain") timer = window.setTimeout(() => set(null), SHOWN_FOR);
}

function set(value: Announcement | null): void {
  told = value;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Announcements() {
  const now = useSyncExternalStore(subscribe, () => told);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {now === null ? null : (
        <div className={`toast toast-${now.tone}`}>
          <span>{now.text}</span>
          <button type="button" className="quiet" onClick={() => set(null)} aria-label="Close">
            ×
          </button>
        </div>
      )}
    </div>
  );
}
