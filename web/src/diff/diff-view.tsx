import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { DiffRowView } from "./diff-row-view.tsx";
import type { DiffRow, Layout } from "./diff-rows.ts";

type DiffProps = {
  readonly rows: readonly DiffRow[];
  readonly layout: Layout;
  /** The row to bring into view, and when it was asked for. */
  readonly goal: { readonly key: string; readonly at: number } | null;
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
const STICKY = 64; // pixels that the page's own head covers

/** The whole diff. Only what is on the screen is in the page, whatever its length. */
export function DiffView({ rows, layout, goal, ...handlers }: DiffProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => setMargin((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => HEIGHTS[rows[index]?.is ?? "line"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 30,
    scrollMargin: margin,
    scrollPaddingStart: STICKY,
  });
  useEffect(() => {
    const index = goal === null ? -1 : rows.findIndex(({ key }) => key === goal.key);
    if (index !== -1) virtual.scrollToIndex(index, { align: "start" });
    // The rows may change for other reasons; only a new goal moves the page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [goal]);
  return (
    <div
      ref={frame}
      className={`diff diff-${layout}`}
      style={{ height: virtual.getTotalSize() }}
      data-rows={rows.length}
    >
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className="diff-item"
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            <DiffRowView row={row} {...handlers} />
          </div>
        );
      })}
    </div>
  );
}
