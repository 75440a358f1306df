import type { ReactNode } from "react";
import type { Highlighter } from "./highlighter.tsx";

let highlighter: Highlighter | null = null;
const listeners = new Set<() => void>();
let isAsked = false;

/**
 * Subscribes to the highlighter, which loads with the first code. Until then, and for unknown languages, text is
 * plain.
 */
export function onHighlighter(listener: () => void): () => void {
  listeners.add(listener);
  if (!isAsked) void load();
  return () => listeners.delete(listener);
}

export const hasHighlighter = (): boolean => highlighter !== null;

async function load(): Promise<void> {
  isAsked = true;
  const loaded = await import("./highlighter.tsx").catch(() => null);
  highlighter = loaded?.highlighter ?? null;
  for (const listener of listeners) listener();
}

const MAX_COLOURED = 500; // characters per line

export function highlight(path: string, text: string): ReactNode | null {
  if (highlighter === null || text === "" || text.length > MAX_COLOURED) return null;
  return highlighter(path, text);
}
