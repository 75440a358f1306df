import { type ReactNode, useState } from "react";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { FindingView } from "../../../src/schema/api.ts";
import type { CommentReply, ReviewComment } from "../../../src/schema/comments.ts";
import { CommentEditor } from "./comment-editor.tsx";
import { type Line, type Notes as Found, useReview } from "./review-context.ts";

type NotesProps = { readonly at: Line; readonly quote: string; readonly notes: Found };

/** Everything said at one line: findings, comments of earlier gates with their replies, drafts, and what is being written. */
export function Notes({ at, quote, notes }: NotesProps) {
  const { drafting, edit } = useReview();
  return (
    <div className="notes">
      {notes.findings.map((finding) => (
        <FindingNote key={finding.id} finding={finding} />
      ))}
      {notes.failed.map((failure) => (
        <FailureNote key={`${failure.check} ${failure.name}`} failure={failure} />
      ))}
      {notes.earlier.map(({ comment, reply }) => (
        <EarlierNote key={comment.id} comment={comment} reply={reply} />
      ))}
      {notes.drafts.map((comment) => (
        <DraftNote key={comment.id} comment={comment} />
      ))}
      {notes.isEditing ? (
        <CommentEditor
          quote={quote}
          onCancel={() => edit(null)}
          onSave={(written) => {
            drafting.save({ ...written, place: { ...at, quote: quote.slice(0, 2000) } });
            edit(null);
          }}
        />
      ) : null}
    </div>
  );
}

const SEVERITY = { blocker: "Blocker", warning: "Warning", note: "Note" } as const;
const STATES = {
  new: "new",
  caused: "caused by the last fix",
  recurring: "still open",
  returned: "came back",
  resolved: "resolved",
} as const;

export function FindingNote({ finding }: { readonly finding: FindingView }) {
  return (
    <article className={`note note-${finding.severity}`} data-note aria-label={`Finding ${finding.id}`}>
      <header>
        <strong>{SEVERITY[finding.severity]}</strong>
        <span className="note-id">{finding.id}</span>
        <span className="subtle">{STATES[finding.state]}</span>
      </header>
      <p>{finding.description}</p>
    </article>
  );
}

export function FailureNote({ failure: { check, name, message } }: { readonly failure: FailureView }) {
  return (
    <article className="note note-blocker" data-note aria-label={`Failed: ${name}`}>
      <header>
        <strong>Failed</strong>
        <span className="subtle">{check}</span>
      </header>
      {name === check ? null : <p>{name}</p>}
      {message === "" ? null : <pre className="failure-message">{message}</pre>}
    </article>
  );
}

const DID = { applied: "Applied", kept: "Kept as it was", answered: "Answered" } as const;

type EarlierProps = {
  readonly comment: ReviewComment;
  readonly reply: CommentReply | null;
  /** What changed there, where it is not in sight anyway. */
  readonly children?: ReactNode;
};

/** A comment of an earlier gate together with what the agent says it did. */
export function EarlierNote({ comment, reply, children }: EarlierProps) {
  return (
    <article className="note note-earlier" data-note aria-label={`Comment ${comment.id}`}>
      <header>
        <strong>You asked</strong>
        <span className="note-id">{comment.id}</span>
      </header>
      <p>{comment.text}</p>
      {comment.suggestion === null ? null : <pre className="suggestion">{comment.suggestion}</pre>}
      <div className={`reply reply-${reply?.did ?? "none"}`}>
        <strong>{reply === null ? "The agent did not reply" : DID[reply.did]}</strong>
        {reply === null ? null : <p>{reply.text}</p>}
      </div>
      {children}
    </article>
  );
}

export function DraftNote({ comment }: { readonly comment: ReviewComment }) {
  const { drafting } = useReview();
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <CommentEditor
        quote={comment.place?.quote ?? ""}
        before={comment}
        onCancel={() => setEditing(false)}
        onSave={(written) => {
          drafting.save({ ...written, place: comment.place }, comment.id);
          setEditing(false);
        }}
      />
    );
  return (
    <article className="note note-draft" data-note aria-label={`Draft ${comment.id}`}>
      <header>
        <strong>Your comment</strong>
        <span className="note-id">{comment.id}</span>
        <span className="badge badge-warn">not sent</span>
        <span className="note-tools">
          <button type="button" className="quiet" onClick={() => setEditing(true)}>
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
