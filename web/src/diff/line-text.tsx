import { diffWordsWithSpace } from "diff";
import { useSyncExternalStore } from "react";
import { hasHighlighter, highlight, onHighlighter } from "./highlight.ts";
import type { PatchLine } from "./parse-patch.ts";

type TextProps = { readonly path: string; readonly line: PatchLine; readonly other: PatchLine | null };

/** Longer lines are shown as they are: nobody reads them word by word. */
const MOST_COMPARED = 600;

/** The text of a line: what changed within it is marked, code is coloured. */
export function LineText({ path, line, other }: TextProps) {
  const isReady = useSyncExternalStore(onHighlighter, hasHighlighter);
  const parts = changedParts(line, other);
  if (parts !== null)
    return (
      <code className="code">
        {parts.map(({ text, isChanged }, index) =>
          isChanged ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </code>
    );
  const coloured = isReady ? highlight(path, line.text) : null;
  return <code className="code">{coloured ?? (line.text === "" ? "\n" : line.text)}</code>;
}

type Part = { readonly text: string; readonly isChanged: boolean };

function changedParts(line: PatchLine, other: PatchLine | null): Part[] | null {
  if (other === null || line.kind === "context" || line.text.length + other.text.length > MOST_COMPARED) return null;
  const [before, after] = line.kind === "removed" ? [line.text, other.text] : [other.text, line.text];
  const parts = diffWordsWithSpace(before, after).filter(({ added, removed }) =>
    line.kind === "removed" ? !added : !removed,
  );
  const changed = parts
    .filter(({ added, removed }) => added || removed)
    .reduce((sum, { value }) => sum + value.length, 0);
  if (changed === 0 || changed > line.text.length * 0.7) return null;
  return parts.map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
}
