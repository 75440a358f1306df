import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { Loading, Trouble } from "../parts/trouble.tsx";
import type { StoryEntry } from "../../../src/schema/api-history.ts";

/** Number of events per response of the server. */
const PART = 500;
/** If the newest part has fewer events, the part before it is displayed, too. */
const FEW = 200;

/** Displays the journal as sentences: the newest part, and earlier parts on request. */
export function RunStory({ detail }: { readonly detail: RunDetail }) {
  const { row, seq, phases } = detail;
  const last = Math.floor((seq - 1) / PART);
  const [shownFrom, setShownFrom] = useState(() => Math.max(0, Math.floor((seq - 1 - FEW) / PART)));
  const first = Math.min(shownFrom, last);
  const parts = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, index) => first + index).map((part) => ({
      queryKey: ["run", row.id, "story", part, part === last ? seq : "whole"],
      queryFn: () => api.story(row.id, part * PART + 1),
      staleTime: Number.POSITIVE_INFINITY, // recorded events do not change
      placeholderData: (before: Awaited<ReturnType<typeof api.story>> | undefined) => before,
    })),
  });
  const trouble = parts.find(({ error }) => error !== null)?.error;
  if (trouble !== undefined) return <Trouble error={trouble} />;
  if (parts.some(({ data }) => data === undefined)) return <Loading what="the story" />;
  const names = new Map(phases.map(({ key, name }) => [key, name]));
  return (
    <>
      {first === 0 ? null : (
        <button type="button" className="button" onClick={() => setShownFrom(first - 1)}>
          Show what came before
        </button>
      )}
      <Entries entries={parts.flatMap(({ data }) => data?.entries ?? [])} nameOf={(key) => names.get(key) ?? key} />
    </>
  );
}

type EntriesProps = {
  readonly entries: readonly StoryEntry[];
  readonly nameOf: (phase: string) => string;
};

const Entries = ({ entries, nameOf }: EntriesProps) => (
  <ol className="story">
    {entries.map((entry, index) => (
      <li key={entry.seq} className={`story-${entryKind(entry)}`}>
        {entry.phase !== null && entry.phase !== entries[index - 1]?.phase ? (
          <h3 className="story-phase">{nameOf(entry.phase)}</h3>
        ) : null}
        <time dateTime={entry.at}>{new Date(entry.at).toLocaleTimeString()}</time>
        <span className="story-text">
          {entry.text}
          {entry.by?.suspicious ? <span className="badge badge-warn">suspicious: {entry.by.suspicious}</span> : null}
        </span>
      </li>
    ))}
  </ol>
);

/** Returns who caused the event: a person, an agent or the engine. */
function entryKind({ by, type }: StoryEntry): "person" | "agent" | "engine" {
  if (by !== null) return "person";
  return /^(?:execution|draft|verdict|questions)\./.test(type) ? "agent" : "engine";
}
