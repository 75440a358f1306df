import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { RunList, RunRow } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { SearchField } from "../parts/search-field.tsx";
import { RunRowLink } from "../parts/run-row-link.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { useTitle } from "../title.ts";
import { plural } from "../words.ts";

type Filter = "all" | "waiting" | "running" | "ended";
const FILTERS: readonly { readonly name: Filter; readonly label: string }[] = [
  { name: "all", label: "All" },
  { name: "waiting", label: "Waiting" },
  { name: "running", label: "Running" },
  { name: "ended", label: "Finished" },
];

/** Search and filter in the address of the page, to link to them and to find them again with Back. */
export type InboxSearch = { readonly search?: string; readonly show?: Exclude<Filter, "all"> };

export const parseInboxSearch = ({ search, show }: Readonly<Record<string, unknown>>): InboxSearch => ({
  ...(typeof search === "string" && search !== "" ? { search } : {}),
  ...(show === "waiting" || show === "running" || show === "ended" ? { show } : {}),
});

type InboxProps = { readonly asked: InboxSearch; readonly onAsk: (asked: InboxSearch) => void };

export function Inbox({ asked, onAsk }: InboxProps) {
  useTitle("Inbox");
  const { search = "", show: filter = "all" } = asked;
  const [text, setText] = useState(search);
  const setSearch = (typed: string): void => {
    setText(typed); // the address follows later
    onAsk(parseInboxSearch({ ...asked, search: typed }));
  };
  const setFilter = (name: Filter): void => onAsk(parseInboxSearch({ ...asked, show: name }));
  const wanted = useDeferredValue(search.trim());
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns(wanted);
  const pages = data?.pages ?? [];
  const [first] = pages;
  const mayGoOn = hasNextPage && LISTS_ENDED.has(filter);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Inbox</h1>
        <p className="subtle">{first === undefined ? "" : headline(first.counts)}</p>
      </div>
      <div className="toolbar">
        <SearchField what="runs" value={text} onChange={setSearch} />
        <FilterBar filter={filter} onChange={setFilter} />
      </div>
      {error === null ? null : <Trouble error={error} />}
      {isPending ? <Loading what="the runs" /> : null}
      <Problems problems={first?.problems ?? []} />
      <Sections
        rows={pages.flatMap(({ runs }) => runs)}
        filter={filter}
        isSearch={wanted !== ""}
        isLoaded={!isPending}
      />
      {mayGoOn ? <Older isFetching={isFetchingNextPage} onMore={() => void fetchNextPage()} /> : null}
    </div>
  );
}

const LISTS_ENDED: ReadonlySet<Filter> = new Set(["all", "ended"]);

const Older = ({ isFetching, onMore }: { readonly isFetching: boolean; readonly onMore: () => void }) => (
  <button type="button" className="button more" disabled={isFetching} onClick={onMore}>
    Show older runs
  </button>
);

const useRuns = (search: string) =>
  useInfiniteQuery({
    queryKey: ["runs", "pages", search],
    queryFn: ({ pageParam }) => api.runs(search, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: RunList) => next,
  });

const Problems = ({ problems }: Pick<RunList, "problems">) =>
  problems.map(({ place, problem }) => (
    <div key={`${place.path}${place.item ?? ""}`} className="notice notice-bad">
      <strong>
        {place.tree}: {problem.what}
      </strong>
      <p>{problem.fix}</p>
    </div>
  ));

const headline = ({ waiting, running, ended }: RunList["counts"]): string =>
  `${waiting === 0 ? "Nothing is waiting for you" : `${plural(waiting, "run")} ${waiting === 1 ? "is" : "are"} waiting for you`} · ${running} running · ${ended} finished`;

function FilterBar({ filter, onChange }: { readonly filter: Filter; readonly onChange: (filter: Filter) => void }) {
  return (
    <div className="segments" role="group" aria-label="Show">
      {FILTERS.map(({ name, label }) => (
        <button key={name} type="button" aria-pressed={filter === name} onClick={() => onChange(name)}>
          {label}
        </button>
      ))}
    </div>
  );
}

type SectionsProps = {
  readonly rows: readonly RunRow[];
  readonly filter: Filter;
  readonly isSearch: boolean;
  readonly isLoaded: boolean;
};

const inboxSection = ({ wait, endedAt, status }: RunRow): Exclude<Filter, "all"> =>
  wait !== null
    ? "waiting"
    : endedAt !== null || status === "cancelled" || status === "completed"
      ? "ended"
      : "running";

const TITLES = { waiting: "Waiting for you", running: "Running", ended: "Finished" } as const;

function Sections({ rows, filter, isSearch, isLoaded }: SectionsProps) {
  const shown = (["waiting", "running", "ended"] as const)
    .filter((name) => filter === "all" || filter === name)
    .map((name) => ({ name, rows: rows.filter((row) => inboxSection(row) === name) }))
    .filter((section) => section.rows.length > 0);
  if (shown.length === 0 && isLoaded) return <Empty isSearch={isSearch} />;
  return shown.map(({ name, rows: own }) => (
    <section key={name} aria-labelledby={`section-${name}`}>
      <h2 id={`section-${name}`} className="section-title">
        {TITLES[name]}
      </h2>
      <ul className="rows">
        {own.map((row) => (
          <li key={row.id}>
            <RunRowLink row={row} />
          </li>
        ))}
      </ul>
    </section>
  ));
}

const Empty = ({ isSearch }: { readonly isSearch: boolean }) =>
  isSearch ? (
    <p className="empty">No run matches.</p>
  ) : (
    <div className="empty">
      <p>No runs yet.</p>
      <p className="subtle">
        Start with <code>isdlc "what to do"</code> in this repository.
      </p>
    </div>
  );
