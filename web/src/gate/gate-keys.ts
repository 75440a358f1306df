import { useEffect } from "react";
import { isPlain } from "../keyboard.ts";

/** Keys of the gate: v marks the file that has the focus, n and p go through what was said, d goes to the decision. */
export function useGateKeys(onViewed: (path: string) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPlain(event)) return;
      if (event.key === "v") {
        const file = document.activeElement?.closest<HTMLElement>("[data-file]")?.dataset["file"];
        if (file !== undefined) onViewed(file);
      } else if (event.key === "n" || event.key === "p") moveNote(event);
      else if (event.key === "d") document.querySelector<HTMLElement>("[data-decision] button")?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onViewed]);
}

function moveNote(event: KeyboardEvent): void {
  const notes = [...document.querySelectorAll<HTMLElement>("[data-note]")];
  const at = notes.findIndex((note) => note === document.activeElement);
  const next = notes[event.key === "n" ? Math.min(at + 1, notes.length - 1) : Math.max(at - 1, 0)];
  if (next === undefined) return;
  event.preventDefault();
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "center" });
}
