import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import type { DiffAgainst, DiffFile, DiffView, GateView } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { type DiffRow, diffRows, type Layout } from "../diff/diff-rows.ts";
import { useStored } from "../stored.ts";
import type { Review } from "./review-context.ts";
import { useViewed } from "./viewed.ts";

/** The diff of a gate: against what, how it is laid out, and what of it is open. */
export type GateChanges = {
  readonly diff: DiffView | undefined;
  readonly error: unknown;
  readonly files: readonly DiffFile[];
  readonly rows: readonly DiffRow[];
  readonly against: DiffAgainst;
  readonly layout: Layout;
  /** True where two sides would not have room. */
  readonly isNarrow: boolean;
  readonly setAgainst: (against: DiffAgainst) => void;
  readonly setLayout: (layout: Layout) => void;
  readonly isViewed: (file: DiffFile) => boolean;
  /** Opens or closes a file. */
  readonly toggle: (path: string) => void;
  /** Marks a file as viewed, or takes the mark away. */
  readonly mark: (path: string) => void;
};

const NO_FILES: readonly DiffFile[] = [];

type Reviewed = { readonly review: Review; readonly shown: ReadonlySet<string> };

/** `shown`: documents that are drawn above the diff with all of their text. */
export function useChanges(gate: GateView, { review, shown }: Reviewed): GateChanges {
  const [against, setAgainst] = useState<DiffAgainst>(gate.hasSeen ? "seen" : "base");
  const [wanted, setLayout] = useStored<Layout>("isdlc.layout", "unified");
  const isNarrow = useIsNarrow();
  const layout = isNarrow ? "unified" : wanted;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const viewed = useViewed(gate.run);
  const { data: diff, error } = useQuery({
    queryKey: ["run", gate.run, "diff", against, gate.shown],
    queryFn: () => api.diff(gate.run, against),
  });
  const files = diff?.files ?? NO_FILES;
  const isViewed = (file: DiffFile): boolean => viewed.has(file.path, file.digest);
  const isShownAbove = (file: DiffFile): boolean => file.removed === 0 && shown.has(file.path);
  const isOpen = (file: DiffFile): boolean =>
    (isViewed(file) || isShownAbove(file) || file.isBookkeeping) === toggled.has(file.path);
  const toggle = (path: string): void => setToggled((before) => withToggled(before, path));
  const mark = (path: string): void => {
    const file = files.find((one) => one.path === path);
    if (file === undefined) return;
    viewed.set(path, file.digest, !isViewed(file));
    setToggled((before) => (before.has(path) ? withToggled(before, path) : before));
  };
  const rows = diffRows(files, { layout, isOpen, review });
  return { diff, error, files, rows, against, layout, isNarrow, setAgainst, setLayout, isViewed, toggle, mark };
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
