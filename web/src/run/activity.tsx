import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { PhaseView } from "../../../src/schema/api.ts";
import { withPhaseNames } from "../words.ts";
import { api } from "../api.ts";
import { onActivity } from "../live.ts";
import { Loading, Trouble } from "../parts/trouble.tsx";

type ActivityLine = { readonly execution: string; readonly line: string };

const MAX_KEPT_LINES = 2000; // lines

type ActivityProps = {
  readonly run: string;
  readonly phases: readonly PhaseView[];
  readonly isLive: boolean;
};

/** Displays the output of agents as it arrives. */
export function Activity({ run, phases, isLive }: ActivityProps) {
  const { data, error, isPending } = useQuery({
    queryKey: ["activity", run],
    queryFn: () => api.activity(run),
    staleTime: 0,
  });
  const [live, setLive] = useState<readonly ActivityLine[]>([]);
  useEffect(
    () =>
      onActivity(({ run: told, execution, lines }) => {
        if (told === run)
          setLive((before) => [...before, ...lines.map((line) => ({ execution, line }))].slice(-MAX_KEPT_LINES));
      }),
    [run],
  );
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLive) end.current?.scrollIntoView({ block: "nearest" });
  }, [live, isLive]);
  if (isPending) return <Loading what="the output of the agents" />;
  if (error !== null) return <Trouble error={error} />;
  const before = data.executions.flatMap(({ name, lines }) => lines.map((line) => ({ execution: name, line })));
  const all = [...before, ...live];
  if (all.length === 0) return <p className="empty">{isLive ? "No output yet." : "No output."}</p>;
  return (
    <div className="activity" role="log" aria-live="off" tabIndex={0} aria-label="Output of the agents">
      {all.map(({ execution, line }, index) => (
        <div key={index} className="said-line">
          <span className="said-who">
            {all[index - 1]?.execution === execution ? "" : withPhaseNames(execution, phases)}
          </span>
          <span className="said-text">{line}</span>
        </div>
      ))}
      {isLive ? <div className="said-now">running …</div> : null}
      <div ref={end} />
    </div>
  );
}
