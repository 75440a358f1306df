import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ResolvedChange, ResolvedComments } from "../../../src/schema/comments.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { isTeam } from "../served-by.ts";
import { useStored } from "../stored.ts";
import type { Review } from "./review-context.ts";

type ThreadStates = Pick<Review, "isResolved" | "setResolved">;

/** Tracks comments of earlier gates marked as resolved by the user, which are hidden at their lines. */
export const useResolved: (run: string, phase: string) => ThreadStates = isTeam ? useResolvedHere : useResolvedOfUser;

/** Stored by the server, for all browsers of the user. */
function useResolvedOfUser(run: string, phase: string): ThreadStates {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: resolvedKey(run), queryFn: () => api.resolved(run) });
  return useMemo(() => {
    const ids = new Set(data?.resolved[phase]);
    const show = (after: ResolvedComments): void => void client.setQueryData(resolvedKey(run), after);
    return {
      isResolved: (id) => ids.has(id),
      setResolved(id, isResolved) {
        const change: ResolvedChange = { phase, comment: id, isResolved };
        const others = [...ids].filter((one) => one !== id);
        show({ resolved: { ...data?.resolved, [phase]: isResolved ? [...others, id] : others } });
        void api.setResolved(run, change).then(show, () => {
          announce("Could not save this: the server of this page cannot be reached.", "bad");
          void client.invalidateQueries({ queryKey: resolvedKey(run) });
        });
      },
    };
  }, [data, client, run, phase]);
}

const resolvedKey = (run: string) => ["run", run, "resolved"] as const;

/** Stored in this browser. */
function useResolvedHere(run: string, phase: string): ThreadStates {
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
