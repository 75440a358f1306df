import { type ReactNode, useCallback, useMemo, useState, useRef } from "react";
import type { DocumentView } from "../../../src/schema/api-documents.ts";
import type { BlockProps, BlockTag } from "../markdown/draw-tree.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { AddComment } from "./add-comment.tsx";
import { numberLines } from "./anchor.ts";
import { Notes } from "./notes.tsx";
import { WholeFileLink } from "./whole-file-link.tsx";
import {
  anchored,
  type EarlierAt,
  hasNotes,
  type CommentLine,
  notesAt,
  noteSources,
  useReview,
} from "./review-context.ts";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { LineText } from "../diff/line-text.tsx";
import { useMargin } from "../diff/use-margin.ts";

/** Displays a document with comments on its blocks, or on any line of its source. */
export function Document({ document }: { readonly document: DocumentView }) {
  const isMarkdown = /\.(?:md|markdown)$/i.test(document.path);
  const [isSource, setSource] = useState(!isMarkdown);
  const { text, path, isCut } = document;
  return (
    <article className="document" data-document={path} aria-label={path}>
      <header className="document-head">
        <h3 className="path" tabIndex={-1} data-row>
          {path}
        </h3>
        {isMarkdown && text !== null ? (
          <button type="button" className="quiet" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
            {isSource ? "Rendered" : "Source"}
          </button>
        ) : null}
      </header>
      {text === null ? <NotText document={document} /> : null}
      {text === null ? null : isSource ? (
        <Source path={path} text={text} />
      ) : (
        <Rendered path={path} text={text} isCut={isCut} />
      )}
      {isCut ? (
        <p className="notice">
          Truncated: {document.notShown} are not shown. <WholeFileLink path={path} />
        </p>
      ) : null}
    </article>
  );
}

const NotText = ({ document: { path, notShown } }: { readonly document: DocumentView }) =>
  notShown === "" ? (
    <p className="subtle">File missing.</p>
  ) : (
    <p className="notice">
      Not text: {notShown} are not shown. <WholeFileLink path={path} />
    </p>
  );

type TextProps = { readonly path: string; readonly text: string };

function Rendered({ path, text, isCut }: TextProps & { readonly isCut: boolean }) {
  const lines = useMemo(() => text.split("\n"), [text]);
  const review = useReview();
  const earlierAt = useMemo(() => anchored({ ...review, path }, () => numberLines(lines)), [review, path, lines]);
  const drawBlock = useCallback(
    ({ tag, line, children }: BlockProps) => (
      <Commented tag={tag} at={{ path, line, side: "new" }} quote={lines[line - 1] ?? ""} earlierAt={earlierAt}>
        {children}
      </Commented>
    ),
    [path, lines, earlierAt],
  );
  const { markShown } = review;
  const onShown = useCallback((isWhole: boolean) => markShown(path, isWhole && !isCut), [markShown, path, isCut]);
  const source = useMemo(() => <Source path={path} text={text} />, [path, text]);
  return <Markdown text={text} drawBlock={drawBlock} source={source} onShown={onShown} />;
}

type CommentedProps = {
  readonly earlierAt: EarlierAt;
  readonly tag: BlockTag;
  readonly at: CommentLine;
  readonly quote: string;
  readonly children: ReactNode;
};

function Commented({ tag, at, quote, earlierAt, children }: CommentedProps) {
  const review = useReview();
  const notes = notesAt(noteSources(review), at, earlierAt);
  const add = review.mayComment ? <AddComment at={at} quote={quote} /> : null;
  const said = hasNotes(notes) ? <Notes notes={notes} /> : null;
  if (tag === "li")
    return (
      <li className="block">
        {add}
        {children}
        {said}
      </li>
    );
  return (
    <div className="block" data-line={at.line}>
      {add}
      {children}
      {said}
    </div>
  );
}

const LINE_HEIGHT = 21; // pixels

/** Displays the source of a document. Only lines on the screen are in the page, at any length. */
function Source({ path, text }: { readonly path: string; readonly text: string }) {
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
