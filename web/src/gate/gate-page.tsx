import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { api, ApiError } from "../api.ts";
import { wasAnsweredHere } from "../answering.ts";
import { announce } from "../parts/announce.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { GateReview } from "./gate-review.tsx";

/** The open gate of a run. Where none is open, the run itself is shown. */
export function GatePage({ run }: { readonly run: string }) {
  const navigate = useNavigate();
  const { data: gate, error, isPending } = useQuery({ queryKey: ["run", run, "gate"], queryFn: () => api.gate(run) });
  const wait = gate?.wait ?? null;
  const isGone = error instanceof ApiError && error.status === 409;
  useEffect(() => {
    if (!isGone) return;
    if (!wasAnsweredHere(wait)) announce("The gate is not open any more: it was answered elsewhere.");
    void navigate({ to: "/runs/$run", params: { run }, replace: true });
  }, [isGone, navigate, run, wait]);
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
