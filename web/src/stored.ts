import { useCallback, useState } from "react";

/** Returns a choice stored in this browser. */
export function useStored<T extends string>(key: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (localStorage.getItem(key) as T | null) ?? first);
  const set = useCallback(
    (next: T) => {
      if (next === "") localStorage.removeItem(key);
      else localStorage.setItem(key, next);
      setValue(next);
    },
    [key],
  );
  return [value, set];
}
