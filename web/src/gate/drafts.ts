import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { ReviewComment } from "../../../src/schema/comments.ts";

/** What a person has written and not sent. It stays in this browser until they decide. */
export type Draft = { readonly guidance: string; readonly comments: readonly ReviewComment[] };

const EMPTY: Draft = { guidance: "", comments: [] };
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
};

const keyOf = (run: string, wait: string): string => `isdlc.draft.${run}.${wait}`;

function parse(text: string | null): Draft {
  if (text === null) return EMPTY;
  try {
    const { guidance, comments } = JSON.parse(text) as Partial<Draft>;
    return { guidance: guidance ?? "", comments: Array.isArray(comments) ? comments : [] };
  } catch {
    return EMPTY;
  }
}

export type Drafting = Draft & {
  readonly save: (comment: Omit<ReviewComment, "id">, id?: string) => void;
  readonly remove: (id: string) => void;
  readonly setGuidance: (text: string) => void;
  readonly clear: () => void;
};

/** `used`: the highest number that comments of earlier gates have. */
export function useDraft(run: string, wait: string, used: number): Drafting {
  const key = keyOf(run, wait);
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const draft = useMemo(() => parse(text), [text]);
  const write = useCallback(
    (next: Draft) => {
      if (next.guidance === "" && next.comments.length === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(next));
      for (const listener of listeners) listener();
    },
    [key],
  );
  return useMemo(
    () => ({
      ...draft,
      save(comment, id) {
        const named = { ...comment, id: id ?? nextId(draft.comments, used) };
        const others = draft.comments.filter((one) => one.id !== named.id);
        write({ ...draft, comments: [...others, named].toSorted((a, b) => numberOf(a.id) - numberOf(b.id)) });
      },
      remove: (id) => write({ ...draft, comments: draft.comments.filter((one) => one.id !== id) }),
      setGuidance: (guidance) => write({ ...draft, guidance }),
      clear: () => write(EMPTY),
    }),
    [draft, used, write],
  );
}

export const numberOf = (id: string): number => Number(id.slice(1));

const nextId = (comments: readonly ReviewComment[], used: number): string =>
  `C${Math.max(used, ...comments.map(({ id }) => numberOf(id))) + 1}`;
