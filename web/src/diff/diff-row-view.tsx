import { memo } from "react";
import type { DiffFile } from "../../../src/schema/api-diff.ts";
import { AddComment } from "../gate/add-comment.tsx";
import { Notes } from "../gate/notes.tsx";
import { WholeFileLink } from "../gate/whole-file-link.tsx";
import { useReview } from "../gate/review-context.ts";
import { ChevronIcon } from "../parts/icons.tsx";
import { type DiffRow, linePlace } from "./diff-rows.ts";
import { LineText } from "./line-text.tsx";
import type { PatchLine } from "./parse-patch.ts";

type RowProps = {
  readonly row: DiffRow;
  readonly onToggle: (path: string) => void;
  readonly onViewed: (path: string) => void;
  readonly isViewed: (path: string) => boolean;
};

export function DiffRowView({ row, onToggle, onViewed, isViewed }: RowProps) {
  switch (row.is) {
    case "file":
      return (
        <FileHead
          file={row.file}
          isOpen={row.isOpen}
          isViewed={isViewed(row.file.path)}
          onToggle={() => onToggle(row.file.path)}
          onViewed={() => onViewed(row.file.path)}
        />
      );
    case "group":
      return <h3 className="diff-group">{row.text}</h3>;
    case "hunk":
      return <div className="diff-hunk">{row.text === "" ? "⋯" : row.text}</div>;
    case "line":
      return <UnifiedLine file={row.file} line={row.line} pair={row.pair} />;
    case "pair":
      return (
        <div className="diff-pair">
          <Half file={row.file} line={row.left} other={row.right} side="old" />
          <Half file={row.file} line={row.right} other={row.left} side="new" />
        </div>
      );
    case "notes":
      return <Notes notes={row.notes} />;
    case "message":
      return (
        <p className="diff-message">
          {row.text} {row.isPart === true ? <WholeFileLink path={row.file.path} /> : null}{" "}
          {row.isPart === true && hasBefore(row.file) ? <WholeFileLink path={row.file.path} side="old" /> : null}
        </p>
      );
    default:
      return row satisfies never;
  }
}

/** A deleted file is saved as it was before anyway. */
const hasBefore = ({ change }: DiffFile): boolean => change !== "added" && change !== "deleted";

const CHANGES = {
  added: "added",
  modified: "",
  deleted: "deleted",
  renamed: "renamed",
  typechange: "type changed",
} as const;

type HeadProps = {
  readonly file: DiffFile;
  readonly isOpen: boolean;
  readonly isViewed: boolean;
  readonly onToggle: () => void;
  readonly onViewed: () => void;
};

function FileHead({ file, isOpen, isViewed, onToggle, onViewed }: HeadProps) {
  return (
    <div className="diff-file" data-file={file.path}>
      <button type="button" className="diff-file-name" aria-expanded={isOpen} onClick={onToggle} data-row>
        <ChevronIcon />
        <span className="path">{file.was === null ? file.path : `${file.was} → ${file.path}`}</span>
        {CHANGES[file.change] === "" ? null : <span className="badge badge-plain">{CHANGES[file.change]}</span>}
        {file.facts.map((fact) => (
          <span key={fact} className="badge badge-warn">
            {fact}
          </span>
        ))}
      </button>
      <span className="diff-count">
        <span className="plus">+{file.added}</span> <span className="minus">−{file.removed}</span>
      </span>
      <label className="viewed">
        <input type="checkbox" checked={isViewed} onChange={onViewed} />
        Viewed
      </label>
    </div>
  );
}

const SIGNS = { context: " ", added: "+", removed: "−" } as const;

const SPOKEN = { context: "", added: "added ", removed: "removed " } as const;

/** Displays the sign of a line. Screen readers get a word instead. */
const Sign = ({ kind }: Pick<PatchLine, "kind">) => (
  <>
    <span className="sign" aria-hidden="true">
      {SIGNS[kind]}
    </span>
    {kind === "context" ? null : <span className="visually-hidden">{SPOKEN[kind]}</span>}
  </>
);

type LineProps = { readonly file: DiffFile; readonly line: PatchLine; readonly pair: PatchLine | null };

const UnifiedLine = memo(function UnifiedLine({ file, line, pair }: LineProps) {
  return (
    <div className={`diff-line ${line.kind}`}>
      <span className="gutter">{line.oldNumber ?? ""}</span>
      <span className="gutter">{line.newNumber ?? ""}</span>
      <CommentButton file={file} line={line} />
      <Sign kind={line.kind} />
      <LineText path={file.path} line={line} other={pair} />
    </div>
  );
});

type HalfProps = {
  readonly file: DiffFile;
  readonly line: PatchLine | null;
  readonly other: PatchLine | null;
  readonly side: "old" | "new";
};

function Half({ file, line, other, side }: HalfProps) {
  if (line === null) return <div className="diff-line diff-nothing" />;
  const number = side === "old" ? line.oldNumber : line.newNumber;
  return (
    <div className={`diff-line ${line.kind}`}>
      <span className="gutter">{number ?? ""}</span>
      {side === "old" && line.kind === "context" ? (
        <span className="add-space" />
      ) : (
        <CommentButton file={file} line={line} />
      )}
      <Sign kind={line.kind} />
      <LineText path={file.path} line={line} other={other === line ? null : other} />
    </div>
  );
}

function CommentButton({ file, line }: { readonly file: DiffFile; readonly line: PatchLine }) {
  const { mayComment } = useReview();
  return mayComment ? <AddComment at={linePlace(file, line)} quote={line.text} /> : <span className="add-space" />;
}
