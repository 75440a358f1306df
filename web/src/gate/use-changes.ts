import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore, useCallback, useMemo } from "react";
import type { DiffAgainst, DiffFile, DiffView } from "../../../src/schema/api-diff.ts";
import type { GateView } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { type DiffRow, diffRows, type Layout } from "../diff/diff-rows.ts";
import { useStored } from "../stored.ts";
import type { Review } from "./review-context.ts";
export type ReviewOrder = "review" | "tree" | "name";

/** Diff of a gate: its base, its layout and its open files. */
export type GateChanges = {
  readonly diff: DiffView | undefined;
  readonly error: unknown;
  readonly files: readonly DiffFile[];
  readonly rows: readonly DiffRow[];
  readonly against: DiffAgainst;
  readonly layout: Layout;
  readonly order: ReviewOrder;
  readonly ignoresSpaces: boolean;
  /** True if the window is too narrow for two sides. */
  readonly isNarrow: boolean;
  readonly setAgainst: (against: DiffAgainst) => void;
  readonly setLayout: (layout: Layout) => void;
  readonly setOrder: (order: ReviewOrder) => void;
  readonly setIgnoresSpaces: (ignores: boolean) => void;
  readonly isViewed: (file: DiffFile) => boolean;
  /** Files of the whole change, and how many are not viewed. Null until loaded. */
  readonly progress: Progress | null;
  /** Returns all rows, including those of closed files. */
  readonly allRows: () => readonly DiffRow[];
  readonly open: (path: string) => void;
  /** Marks all files as viewed after they were accepted. */
  readonly markAll: () => void;
  /** Opens or closes a file. */
  readonly toggle: (path: string) => void;
  /** Marks a file as viewed, or removes the mark. */
  readonly mark: (path: string) => void;
};

export type Progress = {
  readonly files: number;
  readonly notViewed: number;
  /** Files changed since this user's last review, if any. */
  readonly changedSince: number | null;
};

/** Settings of the diff, stored in the browser. */
function useDiffSettings() {
  const [order, setOrder] = useStored<ReviewOrder>("isdlc.order", "review");
  const [spaces, setSpaces] = useStored<"shown" | "ignored">("isdlc.spaces", "shown");
  const setIgnoresSpaces = (ignores: boolean): void => setSpaces(ignores ? "ignored" : "shown");
  return { order, setOrder, ignoresSpaces: spaces === "ignored", setIgnoresSpaces };
}

/** The server sends files in review order, and the other orders as indexes. */
function sortFiles(diff: DiffView | undefined, order: ReviewOrder): readonly DiffFile[] {
  if (diff === undefined) return [];
  return order === "review" ? diff.files : diff.orders[order].flatMap((index) => diff.files[index] ?? []);
}

type ReviewedFiles = { readonly review: Review; readonly shown: ReadonlySet<string> };

/** `shown`: documents with their whole text above the diff. */
export function useChanges(gate: GateView, { review, shown }: ReviewedFiles): GateChanges {
  const [wanted, setLayout] = useStored<Layout>("isdlc.layout", "unified");
  const isNarrow = useIsNarrow();
  const layout = isNarrow ? "unified" : wanted;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setAgainst] = useState<DiffAgainst | null>(null);
  const { base, seen, phase } = useDiffs(gate, chosen);
  const { isViewed, mark: markFile, markAll } = useViewedFiles(gate, base.data);
  const first = useFirstAgainst(gate, { base: base.data, seen: seen.data, isViewed });
  const against = chosen ?? first;
  const { data: diff, error } = { base, seen, phase }[against];
  const { order, ignoresSpaces, ...settings } = useDiffSettings();
  const files = useMemo(() => sortFiles(diff, order), [diff, order]);
  const isShownAbove = (file: DiffFile): boolean => file.removed === 0 && shown.has(file.path);
  const isClosed = (file: DiffFile): boolean =>
    isViewed(file) || isShownAbove(file) || file.isBookkeeping || (file.group === "folded" && !file.isBinary);
  const isOpen = (file: DiffFile): boolean => isClosed(file) === toggled.has(file.path);
  const toggle = (path: string): void => setToggled((before) => withToggled(before, path));
  const mark = (path: string): void => {
    markFile(files.find((one) => one.path === path));
    setToggled((before) => (before.has(path) ? withToggled(before, path) : before));
  };
  const open = (path: string): void => {
    const file = files.find((one) => one.path === path);
    if (file !== undefined && !isOpen(file)) toggle(path);
  };
  const groups = order === "review" ? (diff?.groups ?? []) : [];
  const rowOptions = { layout, ignoresSpaces, groups, review };
  const rows = diffRows(files, { ...rowOptions, isOpen });
  const allRows = (): readonly DiffRow[] => diffRows(files, { ...rowOptions, isOpen: () => true });
  const progress = computeProgress(base.data, { isViewed, changedSince: gate.hasSeen ? (seen.data ?? null) : null });
  const shownState = { diff, error, files, rows, allRows, against, layout, order, ignoresSpaces, isNarrow, progress };
  return { ...shownState, ...settings, setAgainst, setLayout, isViewed, open, toggle, mark, markAll };
}

/** Loads the whole change even if only a part of it is displayed: unviewed files must still be viewed. */
function useDiffs({ run, shown, hasSeen }: GateView, chosen: DiffAgainst | null) {
  const query = (against: DiffAgainst) => ({
    queryKey: ["run", run, "diff", against, shown],
    queryFn: () => api.diff(run, against),
  });
  return {
    base: useQuery(query("base")),
    seen: useQuery({ ...query("seen"), enabled: hasSeen }),
    phase: useQuery({ ...query("phase"), enabled: chosen === "phase" }),
  };
}

type ViewedCheck = GateChanges["isViewed"];

/** Tracks viewed files by the digest of their whole change, independent of the part displayed now. */
function useViewedFiles({ run }: GateView, base: DiffView | undefined) {
  const viewed = useViewed(run);
  const whole = (file: DiffFile): DiffFile => base?.files.find(({ path }) => path === file.path) ?? file;
  const isViewed: ViewedCheck = (file) => viewed.has(file.path, whole(file).digest);
  const mark = (file: DiffFile | undefined): void => {
    if (file !== undefined) viewed.set(file.path, whole(file).digest, !isViewed(file));
  };
  const markAll = (): void => {
    for (const { path, digest } of base?.files ?? []) viewed.set(path, digest, true);
  };
  return { isViewed, mark, markAll };
}

type LoadedChanges = {
  readonly base: DiffView | undefined;
  readonly seen: DiffView | undefined;
  readonly isViewed: ViewedCheck;
};

/**
 * Starts with the changes since the last review only if all other files were viewed. Decides once, when both diffs are
 * loaded.
 */
function useFirstAgainst({ hasSeen }: GateView, { base, seen, isViewed }: LoadedChanges): DiffAgainst {
  const [chosen, setChosen] = useState<DiffAgainst | null>(null);
  if (chosen === null && base !== undefined && seen !== undefined) {
    const changed = new Set(seen.files.map(({ path }) => path));
    const isRestViewed = base.files.every((file) => changed.has(file.path) || file.isBookkeeping || isViewed(file));
    setChosen(hasSeen && isRestViewed ? "seen" : "base");
  }
  return chosen ?? "base";
}

type Since = { readonly isViewed: ViewedCheck; readonly changedSince: DiffView | null };

function computeProgress(base: DiffView | undefined, { isViewed, changedSince }: Since): Progress | null {
  if (base === undefined) return null;
  const files = base.files.filter(({ isBookkeeping }) => !isBookkeeping);
  return {
    files: files.length,
    notViewed: files.filter((file) => !isViewed(file)).length,
    changedSince: changedSince?.files.filter(({ isBookkeeping }) => !isBookkeeping).length ?? null,
  };
}

const narrow = matchMedia("(max-width: 860px)");
const onNarrow = (listener: () => void): (() => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};
const useIsNarrow = (): boolean => useSyncExternalStore(onNarrow, () => narrow.matches);

function withToggled(before: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(path)) after.add(path);
  return after;
}

const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener("storage", listener); // another tab marked a file
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
};

type ViewedFiles = {
  readonly has: (path: string, digest: string) => boolean;
  readonly set: (path: string, digest: string, isViewed: boolean) => void;
};

/** Tracks viewed files by digest: a file that changes is new again. */
function useViewed(run: string): ViewedFiles {
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
