import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "../api.ts";
import { onActivity } from "../live.ts";
import { Loading, Trouble } from "../parts/trouble.tsx";

type ActivityLine = { readonly execution: string; readonly line: string };

const MAX_KEPT = 2000; // lines

/** Displays the output of agents as it arrives. */
export function Activity({ run, isLive }: { readonly run: string; readonly isLive: boolean }) {
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
          setLive((before) => [...before, ...lines.map((line) => ({ execution, line }))].slice(-MAX_KEPT));
      }),
    [run],
  );
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLive) end.current?.scrollIntoView({ block: "nearest" });
  }, [live, isLive]);
  if (isPending) return <Loading what="what the agents said" />;
  if (error !== null) return <Trouble error={error} />;
  const before = data.executions.flatMap(({ name, lines }) => lines.map((line) => ({ execution: name, line })));
  const all = [...before, ...live];
  if (all.length === 0)
    return <p className="empty">{isLive ? "The agent has said nothing yet." : "Nothing was said."}</p>;
  return (
    <div className="activity" role="log" aria-live="off" tabIndex={0} aria-label="What the agents say">
      {all.map(({ execution, line }, index) => (
        <div key={index} className="said-line">
          <span className="said-who">{all[index - 1]?.execution === execution ? "" : execution}</span>
          <span className="said-text">{line}</span>
        </div>
      ))}
      {isLive ? <div className="said-now">at work …</div> : null}
      <div ref={end} />
    </div>
  );
}
