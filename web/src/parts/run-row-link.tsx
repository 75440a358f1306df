import { Link } from "@tanstack/react-router";
import type { RunRow } from "../../../src/schema/api.ts";
import { formatAge, readingText, usageText } from "../words.ts";
import { StatusMark } from "./status.tsx";

/** Displays a run in a list. If the run waits at a gate, the link leads to that gate. */
export function RunRowLink({ row }: { readonly row: RunRow }) {
  const to = row.wait?.kind === "gate" ? "/runs/$run/gate" : "/runs/$run";
  return (
    <Link to={to} params={{ run: row.id }} className="row" data-row>
      <StatusMark row={row} />
      <span className="row-main">
        <span className="row-title">{row.title}</span>
        <span className="row-facts">{facts(row)}</span>
      </span>
      <span className="row-side">
        {row.wait === null ? null : <span className="row-read">{readingText(row.wait.toRead)}</span>}
        <span className="row-age">{ageText(row)}</span>
      </span>
    </Link>
  );
}

function facts(row: RunRow): string {
  const { workflow, phase, progress, place, branch, usage, redos, movedTo, notBegun } = row;
  return [
    workflow,
    phase === null ? "" : phase.name,
    progress.total === 0 ? "" : `${progress.done} of ${progress.total} phases`,
    place.item === null ? "" : "analysis",
    place.isHere ? "" : `in ${place.tree}`,
    branch ?? "",
    redos === 0 ? "" : `${redos} redone`,
    usageText(usage),
    movedTo === undefined ? "" : `went to ${movedTo}`,
    notBegun ?? "",
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

function ageText({ wait, endedAt, startedAt }: RunRow): string {
  if (wait !== null) return `waiting ${formatAge(wait.since)}`;
  return endedAt === null
    ? `since ${formatAge(startedAt)}`
    : `${formatAge(endedAt)} ago`.replace("just now ago", "just now");
}
