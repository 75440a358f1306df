import { useMemo } from "react";
import { useStored } from "../stored.ts";
import type { Review } from "./review-context.ts";

/** Tracks comments of earlier gates marked as resolved by the user, which are hidden at their lines. */
export function useResolved(run: string, phase: string): Pick<Review, "isResolved" | "setResolved"> {
  const [text, setText] = useStored<string>(`isdlc.resolved.${run}.${phase}`, "");
  return useMemo(() => {
    const ids = new Set(text.split(" ").filter((id) => id !== ""));
    return {
      isResolved: (id) => ids.has(id),
      setResolved(id, isResolved) {
        const others = [...ids].filter((one) => one !== id);
        setText((isResolved ? [...others, id] : others).join(" "));
      },
    };
  }, [text, setText]);
}
