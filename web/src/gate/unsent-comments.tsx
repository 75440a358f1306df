import { useEffect, useSyncExternalStore } from "react";
import type { ReviewComment } from "../../../src/schema/comments.ts";
import { announce } from "../parts/announce.tsx";
import { placeText, plural } from "../words.ts";
import { EMPTY, fetchDrafts, parseDraft, readText, subscribe, updateDraft, waitsWithDrafts } from "./draft-store.ts";
import { sendable } from "./drafts.ts";

type UnsentProps = {
  readonly run: string;
  /** The open gate, whose drafts are displayed at their lines. */
  readonly except: string | null;
  readonly onMove?: (comments: readonly ReviewComment[]) => void;
};

/** Displays unsent comments of a gate that was answered without them, for example by another user. */
export function UnsentComments({ run, except, onMove }: UnsentProps) {
  useEffect(() => void fetchDrafts(run).catch(() => undefined), [run]);
  const found = useSyncExternalStore(subscribe, () => JSON.stringify(leftAt(run, except)));
  const left = JSON.parse(found) as ReturnType<typeof leftAt>;
  const comments = left.flatMap((one) => one.comments);
  if (comments.length === 0) return null;
  const remove = (): void => {
    for (const { wait } of left) updateDraft({ run, wait }, () => EMPTY);
  };
  const move = (): void => {
    onMove?.(comments);
    remove();
  };
  const copy = (): void =>
    void navigator.clipboard.writeText(comments.map(formatComment).join("\n\n")).then(
      () => announce("Copied."),
      () => announce("Could not copy: the browser does not allow it.", "bad"),
    );
  return (
    <section className="notice notice-warn" aria-label="Comments that were not sent">
      <strong>{plural(comments.length, "comment")} not sent: the gate was answered without them</strong>
      <ul>
        {comments.map((comment) => (
          <li key={comment.id}>{formatComment(comment)}</li>
        ))}
      </ul>
      <p className="unsent-tools">
        {onMove === undefined ? null : (
          <button type="button" className="button" onClick={move}>
            Add to this gate
          </button>
        )}
        <button type="button" className="button" onClick={copy}>
          Copy
        </button>
        <button type="button" className="quiet" onClick={remove}>
          Delete
        </button>
      </p>
    </section>
  );
}

const leftAt = (run: string, except: string | null) =>
  waitsWithDrafts(run)
    .filter((wait) => wait !== except)
    .map((wait) => ({ wait, comments: sendable(parseDraft(readText(run, wait)).comments) }))
    .filter(({ comments }) => comments.length > 0);

const formatComment = ({ place, text }: ReviewComment): string =>
  place === null ? text : `${placeText(place)}: ${text}`;
