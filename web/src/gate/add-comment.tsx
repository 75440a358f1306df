import { PlusIcon } from "../parts/icons.tsx";
import { type CommentLine, useReview } from "./review-context.ts";

type AddProps = { readonly at: CommentLine; readonly quote: string };

/** Opens a comment at a line. With Shift, the open comment above extends to this line. */
export function AddComment({ at, quote }: AddProps) {
  const { comment } = useReview();
  return (
    <button
      type="button"
      className="add-comment"
      aria-label={`Comment on line ${at.line} of ${at.path}`}
      title="Comment on this line (with Shift: extend the open comment to it)"
      onClick={({ shiftKey }) => comment(at, quote, shiftKey)}
    >
      <PlusIcon size={12} />
    </button>
  );
}
