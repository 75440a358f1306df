import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { LineText } from "../diff/line-text.tsx";
import { useMargin } from "../diff/use-margin.ts";
import { AddComment } from "./add-comment.tsx";
import { numberLines } from "./anchor.ts";
import { Notes } from "./notes.tsx";
import {
  anchored,
  type EarlierAt,
  hasNotes,
  type CommentLine,
  notesAt,
  noteSources,
  useReview,
} from "./review-context.ts";

const LINE_HEIGHT = 21; // pixels

/** Displays the source of a document. Only lines on the screen are in the page, at any length. */
export function Source({ path, text }: { readonly path: string; readonly text: string }) {
  const review = useReview();
  const lines = useMemo(() => text.split("\n"), [text]);
  const earlierAt = useMemo(() => anchored({ ...review, path }, () => numberLines(lines)), [review, path, lines]);
  const frame = useRef<HTMLDivElement>(null);
  const margin = useMargin(frame);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => LINE_HEIGHT,
    overscan: 40,
    scrollMargin: margin,
  });
  return (
    <div ref={frame} className="source" style={{ height: virtual.getTotalSize() }} data-lines={lines.length}>
      {virtual.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          className="source-line"
          style={{ transform: `translateY(${start - margin}px)` }}
        >
          <SourceLine at={{ path, line: index + 1, side: "new" }} text={lines[index] ?? ""} earlierAt={earlierAt} />
        </div>
      ))}
    </div>
  );
}

type LineProps = { readonly at: CommentLine; readonly text: string; readonly earlierAt: EarlierAt };

function SourceLine({ at, text, earlierAt }: LineProps) {
  const review = useReview();
  const notes = notesAt(noteSources(review), at, earlierAt);
  return (
    <>
      <div className="diff-line context">
        <span className="gutter">{at.line}</span>
        {review.mayComment ? <AddComment at={at} quote={text} /> : <span className="add-space" />}
        <LineText path={at.path} line={{ kind: "context", text, oldNumber: null, newNumber: at.line }} other={null} />
      </div>
      {hasNotes(notes) ? <Notes notes={notes} /> : null}
    </>
  );
}
