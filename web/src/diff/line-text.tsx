import { diffWordsWithSpace } from "diff";
import { Fragment, type ReactNode, useContext, useSyncExternalStore } from "react";
import { hasHighlighter, highlight, onHighlighter } from "./highlight.ts";
import { SearchContext } from "./search.ts";
import type { PatchLine } from "./parse-patch.ts";

type TextProps = { readonly path: string; readonly line: PatchLine; readonly other: PatchLine | null };

/** Longer lines are displayed without word differences. */
const MAX_COMPARED = 600;

/** Displays the text of a line: marks changed words, highlights code, and makes hidden characters visible. */
export function LineText({ path, line, other }: TextProps) {
  const isReady = useSyncExternalStore(onHighlighter, hasHighlighter);
  const search = useContext(SearchContext);
  const hits = search === null ? null : withHits(line.text, search);
  return (
    <code className="code">
      {hits ?? lineContent({ path, line, other }, isReady)}
      {line.isSpaceOnly === true ? <span className="odd"> white space changed</span> : null}
      {line.hasNoNewline === true ? <span className="odd"> ⊘ no newline at the end of the file</span> : null}
    </code>
  );
}

/** Returns null if the text has no match. */
function withHits(text: string, search: RegExp): ReactNode | null {
  const found = [...text.matchAll(search)].filter(([match]) => match !== "");
  if (found.length === 0) return null;
  const ends = [0, ...found.map((match) => match.index + match[0].length)];
  return (
    <>
      {found.map((match, index) => (
        <Fragment key={match.index}>
          {text.slice(ends[index], match.index)}
          <mark className="hit">{match[0]}</mark>
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}

function lineContent({ path, line, other }: TextProps, isReady: boolean): ReactNode {
  const parts = changedParts(line, other);
  if (parts !== null)
    return parts.map(({ text, isChanged }, index) =>
      isChanged ? <mark key={index}>{withMarks(text)}</mark> : <span key={index}>{withMarks(text)}</span>,
    );
  if (line.text === "") return "\n";
  const isOdd = ODD.test(line.text) || (line.kind !== "context" && TRAILING.test(line.text));
  if (isOdd) return line.kind === "context" ? withMarks(line.text) : withTrailing(line.text);
  return (isReady ? highlight(path, line.text) : null) ?? line.text;
}

/** Marks written by the server instead of invisible characters: `<U+00A0>`, `<0xE9>`, `␍`. */
const ODD = /<(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})>|[\u2400-\u2421]/;
const ODD_PARTS = new RegExp(`(${ODD.source})`);
const TRAILING = /[ \t]+$/;

const withMarks = (text: string): ReactNode =>
  ODD.test(text)
    ? text.split(ODD_PARTS).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} className="odd">
            {part}
          </span>
        ),
      )
    : text;

function withTrailing(text: string): ReactNode {
  const spaces = TRAILING.exec(text)?.[0] ?? "";
  return (
    <>
      {withMarks(text.slice(0, text.length - spaces.length))}
      {spaces === "" ? null : <span className="trailing">{spaces}</span>}
    </>
  );
}

type TextPart = { readonly text: string; readonly isChanged: boolean };

function changedParts(line: PatchLine, other: PatchLine | null): TextPart[] | null {
  if (other === null || line.kind === "context" || line.text.length + other.text.length > MAX_COMPARED) return null;
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
