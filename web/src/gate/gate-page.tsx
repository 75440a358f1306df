import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { GateView } from "../../../src/schema/api.ts";
import { api, ApiError } from "../api.ts";
import { wasAnsweredHere } from "../answering.ts";
import { announce } from "../parts/announce.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { GateReview } from "./gate-review.tsx";

/** Displays the open gate of a run, or the run itself if no gate is open. */
export function GatePage({ run }: { readonly run: string }) {
  const navigate = useNavigate();
  const { data: gate, error, isPending } = useGate(run);
  const wait = gate?.wait ?? null;
  const isGone = error instanceof ApiError && error.status === 409;
  useEffect(() => {
    if (!isGone) return;
    if (!wasAnsweredHere(wait)) announce(`The gate is not open any more. ${error.problem.what}`);
    void navigate({ to: "/runs/$run", params: { run }, replace: true });
  }, [isGone, error, navigate, run, wait]);
  if (isPending) return <Loading what="the gate" />;
  if (gate === undefined)
    return (
      <div className="page">
        <Trouble error={error} />
        <Link to="/">Go to the inbox</Link>
      </div>
    );
  return <GateReview key={gate.wait} gate={gate} />;
}

/** Loads the gate. It is not cached after leaving the page, because another gate may be open later. */
function useGate(run: string) {
  const client = useQueryClient();
  const queryKey = ["run", run, "gate"];
  return useQuery({
    queryKey,
    queryFn: () => api.gate(run, client.getQueryData<GateView>(queryKey)?.wait ?? null),
    gcTime: 0,
  });
}
