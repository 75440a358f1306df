import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { setCurrentFile } from "../gate/current-file.ts";
import type { Goal } from "../gate/navigation.ts";
import { DiffRowView } from "./diff-row-view.tsx";
import { type DiffRow, indexOfRow, type Layout } from "./diff-rows.ts";
import { useMargin } from "./use-margin.ts";

type DiffProps = {
  readonly rows: readonly DiffRow[];
  readonly layout: Layout;
  /** Row to bring into view, with the time of the request. */
  readonly goal: Goal | null;
  readonly onToggle: (path: string) => void;
  readonly onViewed: (path: string) => void;
  readonly isViewed: (path: string) => boolean;
};

const HEIGHTS: { readonly [K in DiffRow["is"]]: number } = {
  file: 44,
  group: 44,
  hunk: 28,
  line: 21,
  pair: 21,
  notes: 140,
  message: 44,
};
/** Pixels covered by the head of the page. On narrow screens it is the head of the app. */
const STICKY_PX = { wide: 58, narrow: 46 } as const;
/** Rows have fractional heights: a row that ends here is not in view. */
const ROUNDING_PX = 2;
const narrow = matchMedia("(max-width: 860px)");

/** Displays the whole diff. Only rows on the screen are in the page, at any length. */
export function DiffView({ rows, layout, goal, ...handlers }: DiffProps) {
  const frame = useRef<HTMLDivElement>(null);
  const margin = useMargin(frame);
  const sticky = narrow.matches ? STICKY_PX.narrow : STICKY_PX.wide;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => HEIGHTS[rows[index]?.is ?? "line"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 30,
    scrollMargin: margin,
    scrollPaddingStart: sticky,
  });
  useEffect(() => {
    const index = goal === null ? -1 : indexOfGoal(rows, goal);
    if (goal === null || index === -1) return;
    virtual.scrollToIndex(index, { align: "start" });
    if (goal.isFocused) focusRow(frame.current, index);
    // Rows may change for other reasons. Only a new goal scrolls the page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [goal]);
  const edge = (virtual.scrollOffset ?? 0) + sticky + ROUNDING_PX;
  const top = virtual.getVirtualItems().find(({ end }) => end > edge);
  const isInView = top !== undefined && top.start < edge + window.innerHeight / 2;
  const inView = isInView ? (rows[top.index]?.file.path ?? null) : null;
  useEffect(() => setCurrentFile(inView), [inView]);
  useEffect(() => () => setCurrentFile(null), []);
  const current = goal === null || goal.isFocused ? null : (goal.keys[0] ?? null);
  return (
    <div
      ref={frame}
      className={`diff diff-${layout}`}
      style={{ height: virtual.getTotalSize() }}
      data-rows={rows.length}
    >
      <FileInView row={top === undefined ? undefined : rows[top.index]} />
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className={row.key === current ? "diff-item is-current" : "diff-item"}
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            <DiffRowView row={row} {...handlers} />
          </div>
        );
      })}
    </div>
  );
}

/** Keeps the name of a long file visible. */
const FileInView = ({ row }: { readonly row: DiffRow | undefined }) =>
  row === undefined || row.is === "file" || row.is === "group" ? null : (
    <div className="diff-in-view path" aria-hidden="true">
      {row.file.path}
    </div>
  );

function indexOfGoal(rows: readonly DiffRow[], { keys }: Goal): number {
  const found = keys.map((wanted) => indexOfRow(rows, wanted));
  return found.find((index) => index !== -1) ?? -1;
}

/** Number of frames to wait until the target row is rendered. */
const MAX_FRAMES = 120;

function focusRow(diff: HTMLElement | null, index: number, frames = 0): void {
  const row = diff?.querySelector(`[data-index="${index}"]`);
  const target = row?.querySelector<HTMLElement>("[data-row], [data-note], textarea");
  if (target !== null && target !== undefined) {
    if (target.matches("[data-note]")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  } else if (frames < MAX_FRAMES) requestAnimationFrame(() => focusRow(diff, index, frames + 1));
}
