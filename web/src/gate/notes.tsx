import type { ReactNode } from "react";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { FindingView } from "../../../src/schema/api.ts";
import type { ReviewComment } from "../../../src/schema/comments.ts";
import { CommentEditor } from "./comment-editor.tsx";
import type { DraftComment } from "./draft-store.ts";
import { type EarlierComment, type Notes as Found, useReview } from "./review-context.ts";

/** Displays all notes at one line: findings, comments of earlier gates with their replies, and drafts. */
export const Notes = ({ notes }: { readonly notes: Found }) => (
  <div className="notes">
    {notes.findings.map((finding) => (
      <FindingNote key={finding.id} finding={finding} back={<BackLink entry={findingEntry(finding)} />} />
    ))}
    {notes.failed.map((failure) => (
      <FailureNote key={failureEntry(failure)} failure={failure} back={<BackLink entry={failureEntry(failure)} />} />
    ))}
    {notes.earlier.map((earlier) => (
      <EarlierNote key={earlier.comment.id} {...earlier} back={<BackLink entry={commentEntry(earlier.comment)} />} />
    ))}
    {notes.drafts.map((draft) =>
      draft.isOpen === true ? (
        <CommentEditor key={draft.id} draft={draft} />
      ) : (
        <DraftNote key={draft.id} comment={draft} />
      ),
    )}
  </div>
);

/** Names of entries in the overview. */
export const findingEntry = ({ id }: FindingView): string => `finding ${id}`;
export const failureEntry = ({ check, name }: FailureView): string => `failure ${check} ${name}`;
export const commentEntry = ({ id }: ReviewComment): string => `comment ${id}`;

/** Goes from a note at its line to its entry in the overview. The key b does the same. */
const BackLink = ({ entry }: { readonly entry: string }) => (
  <button type="button" className="quiet" data-back onClick={() => focusEntry(entry)}>
    Back to the list
  </button>
);

function focusEntry(entry: string): void {
  const found = document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(entry)}"]`);
  const round = found?.closest("details");
  if (round !== null && round !== undefined) round.open = true;
  const link = found?.querySelector<HTMLElement>("button");
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "center" });
}

type AtLine = { /** Link to the overview, in a note at its line. */ readonly back?: ReactNode };

const SEVERITY = { blocker: "Blocker", warning: "Warning", note: "Note" } as const;
const STATES = {
  new: "new",
  caused: "caused by the last fix",
  recurring: "still open",
  returned: "came back",
  resolved: "resolved",
} as const;

export function FindingNote({ finding, back }: AtLine & { readonly finding: FindingView }) {
  return (
    <article className={`note note-${finding.severity}`} data-note aria-label={`Finding ${finding.id}`}>
      <header>
        <strong>{SEVERITY[finding.severity]}</strong>
        <span className="note-id">{finding.id}</span>
        <span className="subtle">{STATES[finding.state]}</span>
        <NoteTools>{back}</NoteTools>
      </header>
      <p>{finding.description}</p>
    </article>
  );
}

export function FailureNote({ failure: { check, name, message }, back }: AtLine & { readonly failure: FailureView }) {
  return (
    <article className="note note-blocker" data-note aria-label={`Failed: ${name}`}>
      <header>
        <strong>Failed</strong>
        <span className="subtle">{check}</span>
        <NoteTools>{back}</NoteTools>
      </header>
      {name === check ? null : <p>{name}</p>}
      {message === "" ? null : <pre className="failure-message">{message}</pre>}
    </article>
  );
}

const NoteTools = ({ children }: { readonly children: ReactNode }) =>
  children === undefined ? null : <span className="note-tools">{children}</span>;

const DID = { applied: "Applied", kept: "Not changed", answered: "Answered" } as const;

type EarlierProps = EarlierComment &
  AtLine & {
    /** The change at this place, if it is not visible anyway. */
    readonly children?: ReactNode;
  };

/** Displays a comment of an earlier gate with the agent's reply. */
export function EarlierNote({ comment, reply, at, isChanged = false, back, children }: EarlierProps) {
  const { isResolved, setResolved, mayComment, comment: answer } = useReview();
  const isDone = isResolved(comment.id);
  return (
    <article className="note note-earlier" data-note aria-label={`Comment ${comment.id}`}>
      <header>
        <strong>You asked</strong>
        <span className="note-id">{comment.id}</span>
        <Range comment={comment} />
        {isChanged ? <span className="badge badge-plain">text changed since</span> : null}
        {isDone ? <span className="badge badge-plain">resolved</span> : null}
        <span className="note-tools">
          {back}
          {at === undefined || !mayComment ? null : (
            <button type="button" className="quiet" onClick={() => answer(at, comment.place?.quote ?? "")}>
              Reply
            </button>
          )}
          <button type="button" className="quiet" onClick={() => setResolved(comment.id, !isDone)}>
            {isDone ? "Reopen" : "Resolve"}
          </button>
        </span>
      </header>
      <p>{comment.text}</p>
      {comment.suggestion === null ? null : <pre className="suggestion">{comment.suggestion}</pre>}
      <div className={`reply reply-${reply?.did ?? "none"}`}>
        <strong>{reply === null ? "No reply from the agent" : DID[reply.did]}</strong>
        {reply === null ? null : <p>{reply.text}</p>}
      </div>
      {children}
    </article>
  );
}

/** Displays the lines of a comment on several lines. */
const Range = ({ comment: { place } }: { readonly comment: ReviewComment }) =>
  place?.endLine === undefined ? null : (
    <span className="subtle">
      lines {place.line} to {place.endLine}
    </span>
  );

function DraftNote({ comment }: { readonly comment: DraftComment }) {
  const { drafting } = useReview();
  return (
    <article
      className="note note-draft"
      data-note
      data-draft={comment.id}
      tabIndex={-1}
      aria-label={`Draft ${comment.id}`}
    >
      <header>
        <strong>Your comment</strong>
        <span className="note-id">{comment.id}</span>
        <Range comment={comment} />
        <span className="badge badge-warn">not sent</span>
        <span className="note-tools">
          <button type="button" className="quiet" onClick={() => drafting.reopen(comment.id)}>
            Edit
          </button>
          <button type="button" className="quiet" onClick={() => drafting.remove(comment.id)}>
            Delete
          </button>
        </span>
      </header>
      <p>{comment.text}</p>
      {comment.suggestion === null ? null : <pre className="suggestion">{comment.suggestion}</pre>}
    </article>
  );
}
