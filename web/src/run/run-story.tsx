import { useQuery } from "@tanstack/react-query";
import type { StoryEntry } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { Loading, Trouble } from "../parts/trouble.tsx";

async function wholeStory(run: string): Promise<StoryEntry[]> {
  const entries: StoryEntry[] = [];
  for (let from: number | null = 0; from !== null;) {
    const part = await api.story(run, from);
    entries.push(...part.entries);
    from = part.next;
  }
  return entries;
}

/** The journal in sentences. */
export function RunStory({ run, seq }: { readonly run: string; readonly seq: number }) {
  const { data, error, isPending } = useQuery({
    queryKey: ["run", run, "story", seq],
    queryFn: () => wholeStory(run),
    placeholderData: (before) => before,
  });
  if (isPending) return <Loading what="the story" />;
  if (error !== null) return <Trouble error={error} />;
  return (
    <ol className="story">
      {data.map((entry, index) => (
        <li key={entry.seq} className={entry.by === null ? "" : "story-person"}>
          {entry.phase !== null && entry.phase !== data[index - 1]?.phase ? (
            <h3 className="story-phase">{entry.phase}</h3>
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
}
