import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { DocumentView } from "../../../src/schema/api-documents.ts";
import type { BlockProps, BlockTag } from "../markdown/draw-tree.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { AddComment } from "./add-comment.tsx";
import { numberLines } from "./anchor.ts";
import { Notes } from "./notes.tsx";
import { Source } from "./source.tsx";
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
