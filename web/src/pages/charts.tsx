import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ChartsView } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { type Bar, Bars } from "../parts/bars.tsx";
import { RepositoryField } from "../parts/repository-field.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { useRepositories } from "../repositories.ts";
import { useTitle } from "../title.ts";
import { formatDuration, plural } from "../words.ts";

const MINUTE_MS = 60_000;
const NEWEST = 24;

/** Displays charts of the newest ended runs: time, redone phases, findings and cost. */
export function Charts() {
  useTitle("Charts");
  const [repository, setRepository] = useState("");
  const names = useRepositories().map(({ name }) => name);
  const { data, error, isPending } = useQuery({
    queryKey: ["charts", repository],
    queryFn: () => api.charts(repository === "" ? null : repository),
    staleTime: 0,
  });
  return (
    <div className="page page-wide">
      <div className="page-head">
        <h1>Charts</h1>
        <p className="subtle">{data === undefined ? "" : `last ${plural(data.runs.length, "finished run")}`}</p>
      </div>
      {names.length < 2 ? null : (
        <div className="toolbar">
          <RepositoryField names={names} value={repository} onChange={setRepository} all="All repositories" />
        </div>
      )}
      {error === null ? null : <Trouble error={error} />}
      {isPending ? <Loading what="the charts" /> : null}
      {data?.runs.length === 0 ? <p className="empty">Charts come with the first finished run.</p> : null}
      {data === undefined || data.runs.length === 0 ? null : <Figures charts={data} />}
    </div>
  );
}

const minutes = (value: number): string => formatDuration(value * MINUTE_MS);

type Spread = { readonly phase: string; readonly name: string; readonly median: number; readonly slowest: number };

const spreadBar = ({ phase, name, median, slowest }: Spread): Bar => ({
  key: phase,
  name,
  value: median,
  most: slowest,
});

/** Returns one bar for each of the newest runs with a known value. */
const runBars = (runs: ChartsView["runs"], valueOf: (run: ChartsView["runs"][number]) => number | null): Bar[] =>
  runs.slice(-NEWEST).flatMap((run) => {
    const value = valueOf(run);
    return value === null ? [] : [{ key: run.id, name: run.title, value }];
  });

function Figures({ charts }: { readonly charts: ChartsView }) {
  const { leadTime, redoRate, gates, findings, runs } = charts;
  return (
    <div className="chart-grid">
      <Chart
        title="Time by phase"
        about="Median from entering a phase to its completion; the thin line is the slowest."
      >
        <Bars format={minutes} bars={leadTime.map(spreadBar)} />
      </Chart>
      <Chart title="Time people took at gates" about="Median from opening to answer; the thin line is the slowest.">
        <Bars format={minutes} bars={gates.map(spreadBar)} />
      </Chart>
      <Chart title="Sent back" about="Share of phases sent back.">
        <Bars format={(value) => `${Math.round(value * 100)} %`} bars={redoRate.map(rateBar)} whole={1} />
      </Chart>
      <Chart title="Findings by reviewer" about="Everything reviewers found, by how serious it is.">
        <FindingTable findings={findings} />
      </Chart>
      <Chart title="Cost by run" about="Newest runs whose agents report their cost.">
        <Bars format={(value) => `$${value.toFixed(2)}`} bars={runBars(runs, ({ usd }) => usd)} />
      </Chart>
      <Chart title="Time by run" about="Start to finish, including waiting.">
        <Bars format={minutes} bars={runBars(runs, (run) => run.minutes)} />
      </Chart>
    </div>
  );
}

const rateBar = ({ phase, name, redone, completed }: ChartsView["redoRate"][number]): Bar => ({
  key: phase,
  name,
  value: completed === 0 ? 0 : redone / completed,
  note: `${redone} of ${completed}`,
});

type ChartProps = { readonly title: string; readonly about: string; readonly children: ReactNode };

const Chart = ({ title, about, children }: ChartProps) => (
  <section className="panel chart">
    <h2>{title}</h2>
    <p className="subtle">{about}</p>
    {children}
  </section>
);

const SEVERITIES = [
  ["blocker", "Blockers"],
  ["warning", "Warnings"],
  ["note", "Notes"],
] as const;

function FindingTable({ findings }: Pick<ChartsView, "findings">) {
  if (findings.length === 0) return <p className="subtle">Reviewers found nothing.</p>;
  const most = Math.max(...findings.map(({ blocker, warning, note }) => blocker + warning + note));
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Reviewer</th>
          <td />
          {SEVERITIES.map(([severity, label]) => (
            <th key={severity} scope="col" className={`number severity severity-${severity}`}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {findings.map((found) => (
          <tr key={found.reviewer}>
            <td>{found.reviewer}</td>
            <td className="stack" aria-hidden="true">
              {SEVERITIES.map(([severity]) => (
                <span
                  key={severity}
                  className={`stack-${severity}`}
                  style={{ width: `${(found[severity] / most) * 100}%` }}
                />
              ))}
            </td>
            {SEVERITIES.map(([severity]) => (
              <td key={severity} className="number">
                {found[severity]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
