import { useMemo, useState } from "react";
import type { GateView } from "../../../src/schema/api.ts";
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
  const review = useGateReview(gate);
  const changes = useChanges(gate, review);
  const { files, isViewed, mark } = changes;
  const [goal, setGoal] = useState<{ key: string; at: number } | null>(null);
  useGateKeys(mark);
  return (
    <ReviewContext value={review}>
      <div className="gate">
        <GateHead gate={gate} />
        <div className="gate-body">
          <Outline gate={gate} files={files} isViewed={isViewed} onGo={(key) => setGoal({ key, at: Date.now() })} />
          <div className="gate-main">
            <Overview gate={gate} />
            {gate.documents.length === 0 ? null : (
              <section aria-labelledby="documents" className="gate-section">
                <h2 id="documents">Documents</h2>
                {gate.documents.map((document) => (
                  <Document key={document.path} document={document} />
                ))}
              </section>
            )}
            <Changes gate={gate} changes={changes} goal={goal} />
          </div>
        </div>
        <DecisionBar gate={gate} />
      </div>
    </ReviewContext>
  );
}

/** What is said at this gate: the person's drafts, the reviewers' findings, and the comments of earlier gates. */
function useGateReview(gate: GateView): Review {
  const earlier = useMemo(() => gate.earlier.flatMap(({ comments }) => comments), [gate.earlier]);
  const used = Math.max(0, ...earlier.map(({ comment }) => numberOf(comment.id)));
  const drafting = useDraft(gate.run, gate.wait, used);
  const [editing, edit] = useState<Line | null>(null);
  const mayComment = gate.options.some(({ needs }) => needs === "guidance");
  const { findings, failed } = gate;
  return useMemo(
    () => ({ drafting, findings, failed, earlier: gate.earlier[0]?.comments ?? [], mayComment, editing, edit }),
    [drafting, findings, failed, gate.earlier, mayComment, editing],
  );
}
