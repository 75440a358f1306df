import { useCallback, useEffect, useState } from "react";

/** Returns a choice stored in this browser. Other tabs follow a change. */
export function useStored<T extends string>(key: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (localStorage.getItem(key) as T | null) ?? first);
  useEffect(() => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === key) setValue((event.newValue as T | null) ?? first);
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, [key, first]);
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
