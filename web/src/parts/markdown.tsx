import { memo, type ReactNode, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type DrawBlock, drawTree } from "../markdown/draw-tree.tsx";
import { isWhollyShown } from "../markdown/is-wholly-shown.ts";
import { type ParsedMarkdown, parseInWorker } from "../markdown/parse-in-worker.ts";
import { Boundary } from "./boundary.tsx";
import { Loading } from "./trouble.tsx";

/** Longer documents are displayed as source. */
const MAX_DRAWN_CHARS = 100_000;

type MarkdownProps = {
  readonly text: string;
  readonly drawBlock?: DrawBlock;
  /** Displayed instead of a document that is too long or not renderable. Default: the unchanged text. */
  readonly source?: ReactNode;
  /** Called with true if the rendered document has all words of the text. */
  readonly onShown?: (isWhole: boolean) => void;
};

/** Displays a document of an agent as untrusted text. */
export const Markdown = memo(function Markdown({ text, drawBlock, source, onShown }: MarkdownProps) {
  const parsed = useParsed(text);
  const asSource = (
    <>
      <p className="notice">This document is too long or too deeply nested to be drawn. This is its source.</p>
      {source ?? (
        <pre className="plain" tabIndex={0}>
          {text}
        </pre>
      )}
    </>
  );
  if (parsed === undefined) return <Loading what="the document" />;
  if (parsed === null) return asSource;
  return (
    <Boundary resetKey={text} instead={asSource}>
      <Drawn nodes={parsed} text={text} drawBlock={drawBlock ?? null} onShown={onShown} />
    </Boundary>
  );
});

type DrawnProps = {
  readonly nodes: NonNullable<ParsedMarkdown>;
  readonly text: string;
  readonly drawBlock: DrawBlock | null;
  readonly onShown: MarkdownProps["onShown"];
};

function Drawn({ nodes, text, drawBlock, onShown }: DrawnProps) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (frame.current !== null) onShown?.(isWhollyShown(text, frame.current));
  }, [nodes, text, onShown]);
  return (
    <div className="markdown" ref={frame}>
      {drawTree(nodes, drawBlock)}
    </div>
  );
}

/** Returns undefined while the text is parsed, and null if the source must be displayed. */
function useParsed(text: string): ParsedMarkdown | undefined {
  const [found, setFound] = useState<{ readonly text: string; readonly nodes: ParsedMarkdown } | null>(null);
  const isLong = text.length > MAX_DRAWN_CHARS;
  useEffect(() => {
    let isCurrent = true;
    if (!isLong)
      void parseInWorker(text).then((nodes) => {
        if (isCurrent) startTransition(() => setFound({ text, nodes }));
        return undefined;
      });
    return () => {
      isCurrent = false;
    };
  }, [text, isLong]);
  if (isLong) return null;
  return found?.text === text ? found.nodes : undefined;
}
