import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { DocumentView } from "../../../src/schema/api-documents.ts";
import type { DiffFile } from "../../../src/schema/api-diff.ts";
import type { GateView } from "../../../src/schema/api.ts";
import type { CommentPlace } from "../../../src/schema/comments.ts";
import { sideLines } from "../diff/diff-rows.ts";
import { PanelBoundary } from "../parts/boundary.tsx";
import { MAX_QUOTE_CHARS, numberLines, quoteRange, type TextLine } from "./anchor.ts";
import { Changes } from "./changes.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { Document } from "./document.tsx";
import type { DraftComment } from "./draft-store.ts";
import { draftNumber, useDraft } from "./drafts.ts";
import { Outline } from "./outline.tsx";
import { Overview } from "./overview.tsx";
import { useResolved } from "./resolved.ts";
import { type CommentLine, type Review, ReviewContext } from "./review-context.ts";
import { RunContext } from "./whole-file-link.tsx";
import { UnsentComments } from "./unsent-comments.tsx";
import { useTitle } from "../title.ts";
import { useChanges, type Progress } from "./use-changes.ts";
import { useNavigation } from "./navigation.ts";
import { Link } from "@tanstack/react-router";
import { BackIcon } from "../parts/icons.tsx";
import { formatAge, plural, readingText } from "../words.ts";

export function GateReview({ gate }: { readonly gate: GateView }) {
  useTitle(`${gate.phase.name}: ${gate.title}`);
  const [shown, markShown] = useShown();
  const lineSource = useRef<LineSource>({ documents: gate.documents, files: [] });
  const review = useGateReview(gate, { markShown, lineSource });
  const changes = useChanges(gate, { review, shown });
  useEffect(() => {
    lineSource.current = { documents: gate.documents, files: changes.files };
  }, [gate.documents, changes.files]);
  const { files, isViewed } = changes;
  const navigation = useNavigation(changes);
  return (
    <RunContext value={gate.run}>
      <ReviewContext value={review}>
        <div className="gate">
          <GateHead gate={gate} progress={changes.progress} />
          <div className="gate-body">
            <PanelBoundary what="The outline">
              <Outline gate={gate} files={files} isViewed={isViewed} onGo={navigation.goToFile} />
            </PanelBoundary>
            <div className="gate-main">
              <GateState gate={gate} />
              <UnsentComments run={gate.run} except={gate.wait} onMove={review.drafting.add} />
              <PanelBoundary what="The overview">
                <Overview gate={gate} goToLine={navigation.goToLine} />
              </PanelBoundary>
              {gate.documents.length === 0 ? null : (
                <section aria-labelledby="documents" className="gate-section">
                  <h2 id="documents">Documents</h2>
                  {gate.documents.map((document) => (
                    <PanelBoundary key={document.path} what={document.path}>
                      <Document document={document} />
                    </PanelBoundary>
                  ))}
                </section>
              )}
              <PanelBoundary what="The diff">
                <Changes gate={gate} changes={changes} navigation={navigation} />
              </PanelBoundary>
            </div>
          </div>
          <DecisionBar gate={gate} changes={changes} />
        </div>
      </ReviewContext>
    </RunContext>
  );
}

/** Collects the notes of this gate: the user's drafts, findings of reviewers, and comments of earlier gates. */
function useGateReview(gate: GateView, { markShown, lineSource }: ReviewParts): Review {
  const earlier = useMemo(() => gate.earlier.flatMap(({ comments }) => comments), [gate.earlier]);
  const used = Math.max(0, ...earlier.map(({ comment }) => draftNumber(comment.id)));
  const drafting = useDraft(gate.run, gate.wait, used);
  const focused = useRef<string | null>(null);
  const placeAt = usePlaceAt(lineSource);
  const extend = useCallback(
    ({ id, place }: DraftComment, to: number) => {
      const moved = place === null ? null : placeAt(place, to);
      if (moved !== null) drafting.move(id, moved);
    },
    [drafting, placeAt],
  );
  const comment = useCallback(
    (line: CommentLine, quote: string, isRange = false) => {
      const above = isRange ? drafting.drafts.findLast((draft) => isOpenAbove(draft, line)) : undefined;
      if (above !== undefined) return extend(above, line.line);
      focused.current = drafting.open(placeAt(line, line.line) ?? { ...line, quote: quote.slice(0, MAX_QUOTE_CHARS) });
    },
    [drafting, extend, placeAt],
  );
  const takeFocus = useCallback((id: string): boolean => {
    const isNew = focused.current === id;
    if (isNew) focused.current = null;
    return isNew;
  }, []);
  const resolved = useResolved(gate.run, gate.phase.key);
  const mayComment = gate.goBack !== null || gate.options.some(({ needs }) => needs === "guidance");
  const { findings, failed } = gate;
  return useMemo(
    () => ({
      drafting,
      findings,
      failed,
      earlier,
      ...resolved,
      mayComment,
      comment,
      extend,
      takeFocus,
      markShown,
    }),
    [drafting, findings, failed, earlier, resolved, mayComment, comment, extend, takeFocus, markShown],
  );
}

/** Returns how to describe lines, to find them again after a change. */
function usePlaceAt(lineSource: ReviewParts["lineSource"]) {
  return useCallback(
    (line: CommentLine, to: number): CommentPlace | null => {
      const range = quoteRange(readLines(lineSource.current, line), { from: line.line, to });
      return range === null ? null : { path: line.path, side: line.side, ...range };
    },
    [lineSource],
  );
}

type ReviewParts = {
  readonly markShown: Review["markShown"];
  readonly lineSource: { readonly current: LineSource };
};

/** Texts whose lines can be commented on. */
type LineSource = { readonly documents: readonly DocumentView[]; readonly files: readonly DiffFile[] };

function readLines({ documents, files }: LineSource, { path, side }: CommentLine): readonly TextLine[] {
  const text = side === "new" ? documents.find((one) => one.path === path)?.text : undefined;
  if (text !== undefined && text !== null) return numberLines(text.split("\n"));
  const file = files.find((one) => (side === "old" ? (one.was ?? one.path) : one.path) === path);
  return file === undefined ? [] : sideLines(file, side);
}

const isOpenAbove = ({ isOpen, place }: DraftComment, { path, side, line }: CommentLine): boolean =>
  isOpen === true && place !== null && place.path === path && place.side === side && place.line <= line;

/** Tracks documents that are rendered with all of their text. */
function useShown(): [ReadonlySet<string>, Review["markShown"]] {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const markShown = useCallback((path: string, isWhole: boolean): void => {
    setShown((before) => {
      if (before.has(path) === isWhole) return before;
      return new Set(isWhole ? [...before, path] : [...before].filter((one) => one !== path));
    });
  }, []);
  return [shown, markShown];
}

/** Displays states missing in the decision bar: the run is paused, all redos are used. */
function GateState({ gate }: { readonly gate: GateView }) {
  const { isPaused, phase, goBack } = gate;
  const isUsedUp = phase.redos > 0 && phase.redosLeft === 0;
  return (
    <>
      {isPaused ? (
        <div className="notice notice-warn" role="status">
          <strong>The run is paused for your edits</strong>
          <p>
            Edit the files in the working tree. To resume, choose Continue here, or run <code>isdlc continue</code> in a
            terminal. The checks run again before anything is accepted.
          </p>
        </div>
      ) : null}
      {isUsedUp ? (
        <p className="notice">
          All redos of this phase are used ({phase.redos} of {phase.redos}).{" "}
          {goBack === null
            ? "Continue, or pause and edit the files yourself."
            : "To have it changed, go back: your comments are sent with it."}
        </p>
      ) : null}
    </>
  );
}

type HeadProps = { readonly gate: GateView; readonly progress: Progress | null };

function GateHead({ gate, progress }: HeadProps) {
  const { phase, toRead } = gate;
  const facts = [
    gate.workflow,
    phase.attempt > 1 ? `attempt ${phase.attempt}` : "",
    phase.redos > 0 ? `${phase.redos} of ${phase.redos + phase.redosLeft} redos used` : "",
    readingText(toRead),
    progressText(progress),
    `waiting ${formatAge(gate.openedAt)}`,
  ];
  return (
    <header className="gate-head">
      <Link to="/runs/$run" params={{ run: gate.run }} className="back" aria-label="Back to the run">
        <BackIcon />
      </Link>
      <div className="gate-title">
        <h1>
          <span className="gate-phase">{phase.name}</span> {gate.title}
        </h1>
        <p className="subtle">{facts.filter((fact) => fact !== "").join(" · ")}</p>
      </div>
      {gate.isPaused ? <span className="badge badge-warn">Paused for your edits</span> : null}
    </header>
  );
}

function progressText(progress: Progress | null): string {
  if (progress === null || progress.files === 0) return "";
  const { changedSince, notViewed } = progress;
  const changed = changedSince === null ? "" : `${plural(changedSince, "file")} changed since your last review`;
  return [changed, notViewed === 0 ? "all files viewed" : `${notViewed} not viewed yet`]
    .filter((part) => part !== "")
    .join(", ");
}
