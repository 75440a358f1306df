import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useEffect } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { watchRun } from "../live.ts";
import { UnsentComments } from "../gate/unsent-comments.tsx";
import { PanelBoundary } from "../parts/boundary.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { AskedFor } from "../run/asked-for.tsx";
import { Activity } from "../run/activity.tsx";
import { Documents } from "../run/documents.tsx";
import { PhasePicture } from "../run/phase-picture.tsx";
import { RunActions } from "../run/run-actions.tsx";
import { RunHead } from "../run/run-head.tsx";
import { SignStatement } from "../run/sign-statement.tsx";
import { RunStory } from "../run/run-story.tsx";
import { Timeline } from "../run/timeline.tsx";
import { WaitCard } from "../run/wait-card.tsx";
import { useStored } from "../stored.ts";
import { useTitle } from "../title.ts";
import { dateText, usageText } from "../words.ts";

export function RunPage({ run }: { readonly run: string }) {
  const { data, error, isPending } = useQuery({ queryKey: ["run", run, "detail"], queryFn: () => api.run(run) });
  useTitle(data?.row.title ?? "Run");
  useEffect(() => {
    watchRun(run);
    return () => watchRun(null);
  }, [run]);
  if (isPending) return <Loading what="the run" />;
  if (data === undefined)
    return (
      <div className="page">
        <Trouble error={error} />
        <Link to="/">Go to the inbox</Link>
      </div>
    );
  if (data.asked !== undefined) return <AskedFor detail={data} asked={data.asked} />;
  return (
    <div className="page page-wide">
      <BegunHead detail={data} />
      {data.row.movedTo === undefined ? null : (
        <p className="notice notice-warn">This run went to {data.row.movedTo}. It continues there.</p>
      )}
      {data.warnings.map((warning) => (
        <p key={warning} className="notice notice-warn">
          {warning}
        </p>
      ))}
      <UnsentComments run={run} except={data.wait?.kind === "gate" ? data.wait.id : null} />
      {data.wait === null ? null : <WaitCard run={run} wait={data.wait} />}
      {data.end === null ? null : <Ending end={data.end} row={data.row} />}
      {data.end === null ? null : <SignStatement run={run} />}
      <PhasePicture detail={data} />
      <RunTabs detail={data} />
    </div>
  );
}

function BegunHead({ detail }: { readonly detail: RunDetail }) {
  const { row, mode, agent, reviewer, isSandboxed, isSupervised } = detail;
  const facts = [
    row.workflow,
    mode,
    isSupervised ? "supervised" : "autonomous",
    `agent ${agent}${isSandboxed === true ? " in a sandbox" : isSandboxed === false ? " without a sandbox" : ""}`,
    reviewer === null || reviewer === agent ? "" : `reviewer ${reviewer}`,
    row.branch ?? "",
    row.place.isHere ? "" : `in ${row.place.path}`,
    usageText(row.usage),
    `started ${dateText(row.startedAt)}`,
  ];
  return (
    <RunHead row={row} facts={facts}>
      <RunActions detail={detail} />
    </RunHead>
  );
}

type EndingProps = { readonly end: NonNullable<RunDetail["end"]>; readonly row: RunDetail["row"] };

const ENDS: Readonly<Record<string, string>> = {
  merge: "Merged",
  pr: "Kept for a pull request",
  keep: "Finished; the branch is kept",
  discard: "Discarded",
  cancelled: "Cancelled",
};

function Ending({ end, row }: EndingProps) {
  const details = [end.merged === null ? "" : `as ${end.merged.slice(0, 12)}`, row.branch ?? "", end.reason ?? ""];
  return (
    <p className="notice">
      <strong>{ENDS[end.how] ?? "Finished"}</strong> {details.filter((one) => one !== "").join(" · ")}{" "}
      <span className="subtle">{dateText(end.at)}</span>
    </p>
  );
}

const TABS = [
  ["timeline", "Timeline"],
  ["activity", "Activity"],
  ["documents", "Documents"],
  ["story", "Story"],
] as const;

function RunTabs({ detail }: { readonly detail: RunDetail }) {
  const [tab, setTab] = useStored<string>("isdlc.tab", "timeline");
  const run = detail.row.id;
  return (
    <Tabs.Root value={tab} onValueChange={setTab} className="tabs">
      <Tabs.List className="tab-list" aria-label="About this run">
        {TABS.map(([name, label]) => (
          <Tabs.Trigger key={name} value={name} className="tab">
            {label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content value="timeline" className="tab-panel">
        <PanelBoundary what="The timeline">
          <Timeline detail={detail} />
        </PanelBoundary>
      </Tabs.Content>
      <Tabs.Content value="activity" className="tab-panel">
        <PanelBoundary what="The activity">
          <Activity run={run} phases={detail.phases} isLive={detail.row.status === "running"} />
        </PanelBoundary>
      </Tabs.Content>
      <Tabs.Content value="documents" className="tab-panel">
        <PanelBoundary what="The documents">
          <Documents detail={detail} />
        </PanelBoundary>
      </Tabs.Content>
      <Tabs.Content value="story" className="tab-panel">
        <PanelBoundary what="The story">
          <RunStory detail={detail} />
        </PanelBoundary>
      </Tabs.Content>
    </Tabs.Root>
  );
}
