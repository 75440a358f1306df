import { useCallback, useMemo, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener("storage", listener); // another tab marked a file
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
};

export type ViewedFiles = {
  readonly has: (path: string, digest: string) => boolean;
  readonly set: (path: string, digest: string, isViewed: boolean) => void;
};

/** Tracks viewed files by digest: a file that changes is new again. */
export function useViewed(run: string): ViewedFiles {
  const key = `isdlc.viewed.${run}`;
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? "{}");
  const marks = useMemo(() => parse(text), [text]);
  const set = useCallback(
    (path: string, digest: string, isViewed: boolean) => {
      const { [path]: _before, ...others } = parse(localStorage.getItem(key) ?? "{}");
      localStorage.setItem(key, JSON.stringify(isViewed ? { ...others, [path]: digest } : others));
      for (const listener of listeners) listener();
    },
    [key],
  );
  return useMemo(() => ({ has: (path, digest) => marks[path] === digest, set }), [marks, set]);
}

function parse(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return {};
  }
}
