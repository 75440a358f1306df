import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

export type Shortcut = { readonly keys: string; readonly does: string };

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "g i", does: "go to the inbox" },
  { keys: "g t", does: "go to the items" },
  { keys: "g c", does: "go to the charts" },
  { keys: "g s", does: "go to the settings" },
  { keys: "/", does: "search; at a gate, in the diff (also Ctrl+F)" },
  { keys: "j / k", does: "next / previous row, file or document" },
  { keys: "o or Enter", does: "open what is selected" },
  { keys: "v", does: "at a gate: mark the file as viewed" },
  { keys: "n / p", does: "at a gate: next / previous finding or comment" },
  { keys: "c", does: "at a gate: comment on the first line after the focused file or note" },
  { keys: "b", does: "at a gate: from a finding, comment or failed test back to the list" },
  { keys: "d", does: "at a gate: go to the decision" },
  { keys: "Ctrl+Enter", does: "save a comment" },
  { keys: "?", does: "show these" },
];

const PLACES = { i: "/", t: "/items", c: "/charts", s: "/settings" } as const;
const SECOND_WITHIN = 1000; // milliseconds

/** Returns true while the user types: keys are then text. */
export const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName));

export const isPlain = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event.target);

let rowMover: ((event: KeyboardEvent) => void) | null = null;

/** Sets how a page moves through its rows if it does not render all of them. */
export function setRowMover(mover: typeof rowMover): void {
  rowMover = mover;
}

/** Handles the keys that work on all pages. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pressedG = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (!isPlain(event)) return;
      const place = PLACES[event.key as keyof typeof PLACES] as string | undefined;
      if (place !== undefined && performance.now() - pressedG < SECOND_WITHIN) {
        event.preventDefault();
        void navigate({ to: place });
      } else if (event.key === "/") focusSearch(event);
      else if (event.key === "j" || event.key === "k") (rowMover ?? moveRow)(event);
      else if (event.key === "o") openRow();
      pressedG = event.key === "g" ? performance.now() : 0;
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate]);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}

/** Like Enter, which the browser handles itself. */
function openRow(): void {
  if (document.activeElement instanceof HTMLElement && document.activeElement.matches("[data-row]"))
    document.activeElement.click();
}

/** Moves the focus between rows. They are links: Enter opens the focused one. */
function moveRow(event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return;
  event.preventDefault();
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = event.key === "j" ? Math.min(at + 1, rows.length - 1) : Math.max(at - 1, 0);
  rows[next]?.focus();
}
