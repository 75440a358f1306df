import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { DocumentView } from "../../../src/schema/api.ts";
import { LineText } from "../diff/line-text.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import type { BlockProps, BlockTag } from "../markdown/draw-tree.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Notes } from "./notes.tsx";
import { anchored, type EarlierAt, hasNotes, type Line, notesAt, useReview } from "./review-context.ts";

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
      {text === null ? <p className="subtle">File missing or not text.</p> : null}
      {text === null ? null : isSource ? (
        <Source path={path} text={text} />
      ) : (
        <Rendered path={path} text={text} isCut={isCut} />
      )}
      {isCut ? <p className="notice">Truncated: open the file to see the rest.</p> : null}
    </article>
  );
}

type TextProps = { readonly path: string; readonly text: string };

function Rendered({ path, text, isCut }: TextProps & { readonly isCut: boolean }) {
  const lines = useMemo(() => text.split("\n"), [text]);
  const review = useReview();
  const earlierAt = useMemo(() => anchored(review, path, () => numbered(lines)), [review, path, lines]);
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

const numbered = (lines: readonly string[]): { line: number; text: string }[] =>
  lines.map((text, index) => ({ line: index + 1, text }));

type CommentedProps = {
  readonly earlierAt: EarlierAt;
  readonly tag: BlockTag;
  readonly at: Line;
  readonly quote: string;
  readonly children: ReactNode;
};

function Commented({ tag, at, quote, earlierAt, children }: CommentedProps) {
  const review = useReview();
  const notes = notesAt(review, at, earlierAt);
  const add = review.mayComment ? <Add at={at} onAdd={() => review.comment(at, quote)} /> : null;
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

function Add({ at, onAdd }: { readonly at: Line; readonly onAdd: () => void }) {
  return (
    <button
      type="button"
      className="add-comment"
      aria-label={`Comment on line ${at.line} of ${at.path}`}
      onClick={onAdd}
    >
      <PlusIcon size={12} />
    </button>
  );
}

function Source({ path, text }: TextProps) {
  const review = useReview();
  const lines = useMemo(() => text.split("\n"), [text]);
  const earlierAt = useMemo(() => anchored(review, path, () => numbered(lines)), [review, path, lines]);
  return (
    <div className="source">
      {lines.map((line, index) => {
        const at: Line = { path, line: index + 1, side: "new" };
        const notes = notesAt(review, at, earlierAt);
        return (
          <div key={index}>
            <div className="diff-line context">
              <span className="gutter">{index + 1}</span>
              {review.mayComment ? (
                <Add at={at} onAdd={() => review.comment(at, line)} />
              ) : (
                <span className="add-space" />
              )}
              <LineText
                path={path}
                line={{ kind: "context", text: line, oldNumber: null, newNumber: index + 1 }}
                other={null}
              />
            </div>
            {hasNotes(notes) ? <Notes notes={notes} /> : null}
          </div>
        );
      })}
    </div>
  );
}
