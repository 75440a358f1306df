import { useEffect, useState } from "react";
import type { RunDetail, TimelineSpan } from "../../../src/schema/api.ts";
import { useStored } from "../stored.ts";
import { formatDuration, usageText, withPhaseNames } from "../words.ts";
import { spanEnd, type TimeScale, timeScale } from "./time-scale.ts";

const KINDS: { readonly [K in TimelineSpan["kind"]]: string } = {
  attempt: "Attempt",
  execution: "Agent",
  check: "Checks",
  review: "Reviewer",
  wait: "Person",
};

/**
 * Displays all phases on one time scale. Waits for the user look different and can be shortened, because they can be
 * much longer than the work.
 */
export function Timeline({ detail }: { readonly detail: RunDetail }) {
  const now = useCurrentTime(detail.end === null);
  const [shown, setShown] = useStored<"all" | "work">("isdlc.timeline", "all");
  const spans = detail.timeline;
  const named = spans.map((span) => ({ ...span, name: withPhaseNames(span.name, detail.phases) }));
  if (spans.length === 0) return <p className="empty">Nothing has happened yet.</p>;
  const scale = timeScale(spans, now, shown === "work");
  const lanes = [BEFORE, ...detail.phases].filter(({ key }) => spans.some(({ phase }) => phase === key));
  return (
    <div className="timeline">
      <div className="timeline-head">
        <Totals spans={spans} now={now} scale={scale} />
        <div className="segments" role="group" aria-label="Time that is drawn">
          {SHOWN.map(([name, label]) => (
            <button key={name} type="button" aria-pressed={shown === name} onClick={() => setShown(name)}>
              {label}
            </button>
          ))}
        </div>
      </div>
      <div className="legend" aria-hidden="true">
        {(["execution", "check", "review", "wait"] as const).map((kind) => (
          <span key={kind} className={`legend-${kind}`}>
            {KINDS[kind]}
          </span>
        ))}
      </div>
      {lanes.map((phase) => (
        <Lane key={phase.key} phase={phase} spans={named} scale={scale} now={now} />
      ))}
      <div className="axis" aria-hidden="true">
        {scale.ticks.map(({ at, text }) => (
          <span key={at} style={{ left: `${at * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
      <SpanTable spans={named} now={now} />
    </div>
  );
}

const SHOWN = [
  ["all", "To scale"],
  ["work", "Hide waiting time"],
] as const;

type LanePhase = Pick<RunDetail["phases"][number], "name" | "usage"> & { readonly key: string | null };
type LaneProps = TotalsProps & { readonly phase: LanePhase };

/** Preparation and the baseline tests belong to no phase. */
const BEFORE: LanePhase = {
  key: null,
  name: "Before the first phase",
  usage: { input: null, output: null, usd: null },
};

function Lane({ phase: { key, name, usage }, spans, scale, now }: LaneProps) {
  const own = spans.filter(({ phase }) => phase === key);
  const facts = [formatDuration(sumWork(own, now)), usageText(usage)].filter((fact) => fact !== "");
  return (
    <section className="lane" aria-label={name}>
      <div className="lane-head">
        <strong>{name}</strong>
        <span className="subtle">{facts.join(" · ")}</span>
      </div>
      <div className="lane-track">
        {scale.ticks.map(({ at }) => (
          <span key={at} className="tick" style={{ left: `${at * 100}%` }} />
        ))}
        {own.map((span) => (
          <Span key={`${span.seq}${span.kind}`} span={span} scale={scale} now={now} />
        ))}
      </div>
    </section>
  );
}

/** Sums the time of agents, checks and reviewers. */
const sumWork = (spans: readonly TimelineSpan[], now: number): number =>
  spans
    .filter(({ kind }) => kind !== "attempt" && kind !== "wait")
    .reduce((sum, span) => sum + spanEnd(span, now) - Date.parse(span.from), 0);

function Span({ span, scale, now }: { readonly span: TimelineSpan; readonly scale: TimeScale; readonly now: number }) {
  const from = Date.parse(span.from);
  const to = spanEnd(span, now);
  const facts = [formatDuration(to - from), span.outcome ?? "now", span.usage === null ? "" : usageText(span.usage)];
  const words = `${KINDS[span.kind]} ${span.name}: ${facts.filter((fact) => fact !== "").join(", ")}`;
  return (
    <span
      className={`span span-${span.kind} ${outcomeClass(span)}`}
      style={{ left: `${scale.at(from) * 100}%`, width: `max(3px, ${(scale.at(to) - scale.at(from)) * 100}%)` }}
      title={words}
    />
  );
}

const outcomeClass = ({ outcome }: TimelineSpan): string => {
  if (outcome === null) return "span-now";
  return /failed|lost|not approved|cancelled/.test(outcome) ? "span-bad" : "";
};

type TotalsProps = { readonly spans: readonly TimelineSpan[]; readonly now: number; readonly scale: TimeScale };

function Totals({ spans, now, scale }: TotalsProps) {
  const sum = (kind: TimelineSpan["kind"]): number =>
    spans
      .filter((span) => span.kind === kind)
      .reduce((total, span) => total + spanEnd(span, now) - Date.parse(span.from), 0);
  const facts = [
    ["Total", scale.to - scale.from],
    ["Agents", sum("execution")],
    ["Reviewers", sum("review")],
    ["Checks", sum("check")],
    ["People", sum("wait")],
  ] as const;
  return (
    <dl className="totals">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatDuration(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Displays the timeline as text, for screen readers and for exact numbers. */
function SpanTable({ spans, now }: { readonly spans: readonly TimelineSpan[]; readonly now: number }) {
  return (
    <details className="spans">
      <summary>Show as table</summary>
      <div className="table-frame" tabIndex={0} role="region" aria-label="Timeline as a table">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Name</th>
              <th scope="col">From</th>
              <th scope="col">Took</th>
              <th scope="col">Outcome</th>
              <th scope="col">Used</th>
            </tr>
          </thead>
          <tbody>
            {spans.map((span) => (
              <tr key={`${span.seq}${span.kind}`}>
                <td>{KINDS[span.kind]}</td>
                <td>{span.name}</td>
                <td>{new Date(span.from).toLocaleTimeString()}</td>
                <td className="number">{formatDuration(spanEnd(span, now) - Date.parse(span.from))}</td>
                <td>{span.outcome ?? "now"}</td>
                <td>{span.usage === null ? "" : usageText(span.usage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Returns the current time, updated each second while the run is active. */
function useCurrentTime(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
