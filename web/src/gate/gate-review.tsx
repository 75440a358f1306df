import { useCallback, useMemo, useRef, useState } from "react";
import type { GateView } from "../../../src/schema/api.ts";
import { PanelBoundary } from "../parts/boundary.tsx";
import { Changes } from "./changes.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { Document } from "./document.tsx";
import { draftNumber, useDraft } from "./drafts.ts";
import { GateHead } from "./gate-head.tsx";
import { Outline } from "./outline.tsx";
import { Overview } from "./overview.tsx";
import { useResolved } from "./resolved.ts";
import { type Line, type Review, ReviewContext } from "./review-context.ts";
import { UnsentComments } from "./unsent-comments.tsx";
import { useTitle } from "../title.ts";
import { useChanges } from "./use-changes.ts";
import { useNavigation } from "./navigation.ts";

export function GateReview({ gate }: { readonly gate: GateView }) {
  useTitle(`${gate.phase.name}: ${gate.title}`);
  const [shown, markShown] = useShown();
  const review = useGateReview(gate, markShown);
  const changes = useChanges(gate, { review, shown });
  const { files, isViewed } = changes;
  const navigation = useNavigation(changes);
  return (
    <ReviewContext value={review}>
      <div className="gate">
        <GateHead gate={gate} progress={changes.progress} />
        <div className="gate-body">
          <PanelBoundary what="The outline">
            <Outline gate={gate} files={files} isViewed={isViewed} onGo={navigation.goToFile} />
          </PanelBoundary>
          <div className="gate-main">
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
  );
}

/** Collects the notes of this gate: the user's drafts, findings of reviewers, and comments of earlier gates. */
function useGateReview(gate: GateView, markShown: Review["markShown"]): Review {
  const earlier = useMemo(() => gate.earlier.flatMap(({ comments }) => comments), [gate.earlier]);
  const used = Math.max(0, ...earlier.map(({ comment }) => draftNumber(comment.id)));
  const drafting = useDraft(gate.run, gate.wait, used);
  const focused = useRef<string | null>(null);
  const comment = useCallback(
    (line: Line, quote: string) => {
      focused.current = drafting.open({ ...line, quote: quote.slice(0, MAX_QUOTE_CHARS) });
    },
    [drafting],
  );
  const takeFocus = useCallback((id: string): boolean => {
    const isNew = focused.current === id;
    if (isNew) focused.current = null;
    return isNew;
  }, []);
  const resolved = useResolved(gate.run, gate.phase.key);
  const mayComment = gate.options.some(({ needs }) => needs === "guidance");
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
      takeFocus,
      markShown,
    }),
    [drafting, findings, failed, earlier, resolved, mayComment, comment, takeFocus, markShown],
  );
}

const MAX_QUOTE_CHARS = 2000;

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
