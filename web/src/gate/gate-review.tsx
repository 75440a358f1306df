import { useCallback, useMemo, useState } from "react";
import type { GateView } from "../../../src/schema/api.ts";
import { PanelBoundary } from "../parts/boundary.tsx";
import { Changes } from "./changes.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { Document } from "./document.tsx";
import { numberOf, useDraft } from "./drafts.ts";
import { GateHead } from "./gate-head.tsx";
import { Outline } from "./outline.tsx";
import { Overview } from "./overview.tsx";
import { type Line, type Review, ReviewContext } from "./review-context.ts";
import { useChanges } from "./use-changes.ts";
import { useGateKeys } from "./gate-keys.ts";

export function GateReview({ gate }: { readonly gate: GateView }) {
  const [shown, markShown] = useShown();
  const review = useGateReview(gate, markShown);
  const changes = useChanges(gate, { review, shown });
  const { files, isViewed, mark } = changes;
  const [goal, setGoal] = useState<{ key: string; at: number } | null>(null);
  useGateKeys(mark);
  return (
    <ReviewContext value={review}>
      <div className="gate">
        <GateHead gate={gate} />
        <div className="gate-body">
          <PanelBoundary what="The outline">
            <Outline gate={gate} files={files} isViewed={isViewed} onGo={(key) => setGoal({ key, at: Date.now() })} />
          </PanelBoundary>
          <div className="gate-main">
            <PanelBoundary what="The overview">
              <Overview gate={gate} />
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
              <Changes gate={gate} changes={changes} goal={goal} />
            </PanelBoundary>
          </div>
        </div>
        <DecisionBar gate={gate} />
      </div>
    </ReviewContext>
  );
}

/** What is said at this gate: the person's drafts, the reviewers' findings, and the comments of earlier gates. */
function useGateReview(gate: GateView, markShown: Review["markShown"]): Review {
  const earlier = useMemo(() => gate.earlier.flatMap(({ comments }) => comments), [gate.earlier]);
  const used = Math.max(0, ...earlier.map(({ comment }) => numberOf(comment.id)));
  const drafting = useDraft(gate.run, gate.wait, used);
  const [editing, edit] = useState<Line | null>(null);
  const mayComment = gate.options.some(({ needs }) => needs === "guidance");
  const { findings, failed } = gate;
  return useMemo(
    () => ({
      drafting,
      findings,
      failed,
      earlier: gate.earlier[0]?.comments ?? [],
      mayComment,
      editing,
      edit,
      markShown,
    }),
    [drafting, findings, failed, gate.earlier, mayComment, editing, markShown],
  );
}

/** Documents whose drawing has all of their text. */
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
