import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { CommentPlace, ReviewComment } from "../../../src/schema/comments.ts";
import {
  type CommentDraft,
  type DraftComment,
  EMPTY,
  fetchDrafts,
  parseDraft,
  readText,
  subscribe,
  updateDraft,
} from "./draft-store.ts";

export type DraftText = Pick<ReviewComment, "text" | "suggestion">;

export type DraftActions = {
  readonly guidance: string;
  /** All comments, including empty ones with an open editor. */
  readonly drafts: readonly DraftComment[];
  /** Comments with content, as they are sent. */
  readonly comments: readonly ReviewComment[];
  /** Opens an editor, and returns the id of its comment. */
  readonly open: (place: CommentPlace) => string;
  readonly reopen: (id: string) => void;
  readonly write: (id: string, written: DraftText) => void;
  /** Moves a comment to other lines. An unchanged suggestion follows. */
  readonly move: (id: string, place: CommentPlace) => void;
  /** Closes the editor and keeps its text. Removes an empty comment. */
  readonly close: (id: string) => void;
  /** Closes the editor and restores the comment from before it was opened. */
  readonly revert: (id: string) => void;
  readonly remove: (id: string) => void;
  readonly setGuidance: (text: string) => void;
  /** Adds unsent comments of another gate. */
  readonly add: (comments: readonly ReviewComment[]) => void;
  readonly clear: () => void;
};

/** `used`: highest number of a comment at earlier gates. */
export function useDraft(run: string, wait: string, used: number): DraftActions {
  const text = useSyncExternalStore(subscribe, () => readText(run, wait));
  const draft = useMemo(() => parseDraft(text), [text]);
  useEffect(() => void fetchDrafts(run).catch(() => undefined), [run, wait]);
  const actions = useMemo(() => draftActions({ run, wait }, used), [run, wait, used]);
  return useMemo(
    () => ({ guidance: draft.guidance, drafts: draft.comments, comments: sendable(draft.comments), ...actions }),
    [draft, actions],
  );
}

type Actions = Omit<DraftActions, "guidance" | "drafts" | "comments">;

function draftActions(at: { readonly run: string; readonly wait: string }, used: number): Actions {
  const change = (to: (now: CommentDraft) => CommentDraft): void => updateDraft(at, to);
  const replace = (id: string, to: (comment: DraftComment) => DraftComment | null): void =>
    change((now) => ({ ...now, comments: now.comments.flatMap((one) => (one.id === id ? (to(one) ?? []) : [one])) }));
  return {
    open(place) {
      let id = "";
      change((now) => {
        const open = now.comments.find((one) => one.isOpen === true && isSamePlace(one.place, place));
        id = open?.id ?? nextId(now.comments, used);
        const made = { id, place, text: "", suggestion: null, isOpen: true };
        return open === undefined ? { ...now, comments: [...now.comments, made] } : now;
      });
      return id;
    },
    reopen: (id) =>
      replace(id, (one) => ({ ...one, isOpen: true, before: { text: one.text, suggestion: one.suggestion } })),
    write: (id, written) => replace(id, (one) => ({ ...one, ...written })),
    move: (id, place) =>
      replace(id, (one) => ({
        ...one,
        place,
        suggestion: one.suggestion === (one.place?.quote ?? null) ? place.quote : one.suggestion,
      })),
    close: (id) =>
      replace(id, (one) => {
        const { isOpen: _open, before: _before, ...kept } = one;
        return isEmpty(kept) ? null : kept;
      }),
    revert: (id) =>
      replace(id, ({ isOpen: _open, before, ...one }) => (before === undefined ? null : { ...one, ...before })),
    remove: (id) => replace(id, () => null),
    setGuidance: (guidance) => change((now) => ({ ...now, guidance })),
    add: (comments) =>
      change((now) => ({
        ...now,
        comments: comments.reduce<readonly DraftComment[]>(
          (all, one) => [...all, { ...one, id: nextId(all, used) }],
          now.comments,
        ),
      })),
    clear: () => change(() => EMPTY),
  };
}

const isSamePlace = (one: CommentPlace | null, { path, line, side }: CommentPlace): boolean =>
  one !== null && one.path === path && one.line === line && one.side === side;

export const isEmpty = ({ text, suggestion, place }: ReviewComment): boolean =>
  text.trim() === "" && (suggestion === null || suggestion === (place?.quote ?? ""));

/** Returns comments with content, without the state of their editors. */
export const sendable = (drafts: readonly DraftComment[]): ReviewComment[] =>
  drafts
    .filter((draft) => !isEmpty(draft))
    .map(({ id, place, text, suggestion }) => ({
      id,
      place,
      text: text.trim() === "" ? "Please change this as suggested." : text.trim(),
      suggestion: suggestion === (place?.quote ?? "") ? null : suggestion,
    }));

export const draftNumber = (id: string): number => Number(id.slice(1));

const nextId = (comments: readonly ReviewComment[], used: number): string =>
  `C${Math.max(used, ...comments.map(({ id }) => draftNumber(id))) + 1}`;
