import { useSyncExternalStore } from "react";

let current: string | null = null;
const listeners = new Set<() => void>();

/** Sets the file at the top of the screen. Only its entry in the outline renders again. */
export function setCurrentFile(path: string | null): void {
  if (path === current) return;
  current = path;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsCurrentFile = (path: string): boolean => useSyncExternalStore(subscribe, () => current === path);
