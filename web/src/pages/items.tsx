import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ItemList } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { RepositoryField } from "../parts/repository-field.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { usePickedRepository, useRepositories } from "../repositories.ts";
import { isTeam } from "../served-by.ts";
import { formatAge, plural } from "../words.ts";
import { useTitle } from "../title.ts";
import type { NewRunSearch } from "./new-run.tsx";

type Item = ItemList["items"][number];

export function Items() {
  useTitle("Items");
  const [search, setSearch] = useState("");
  const { names, name, pick } = usePickedRepository();
  const { data, error, isLoading } = useQuery({
    queryKey: ["items", name],
    queryFn: () => api.items(name),
    enabled: !isTeam || name !== null,
  });
  const found = data?.items.filter(({ slug }) => slug.toLowerCase().includes(search.trim().toLowerCase())) ?? [];
  return (
    <div className="page">
      <div className="page-head">
        <h1>Items</h1>
        <p className="subtle">{data === undefined ? "" : plural(data.items.length, "item")}</p>
      </div>
      <div className="toolbar">
        <SearchField what="items" value={search} onChange={setSearch} />
        {name === null ? null : <RepositoryField names={names} value={name} onChange={pick} />}
      </div>
      {error === null ? null : <Trouble error={error} />}
      {isLoading ? <Loading what="the items" /> : null}
      {data !== undefined && found.length === 0 ? (
        <div className="empty">
          <p>{data.items.length === 0 ? "No items yet." : "No item matches."}</p>
          <HowToAdd />
        </div>
      ) : null}
      {found.length === 0 ? null : <ItemTable items={found} repository={name} />}
    </div>
  );
}

const HowToAdd = () =>
  isTeam ? (
    <p className="subtle">
      In a clone: <code>isdlc add "what to do"</code>, then commit and push it.
    </p>
  ) : (
    <p className="subtle">
      <Link to="/new">Add one</Link>, or in a terminal: <code>isdlc add "what to do"</code>.
    </p>
  );

type TableProps = { readonly items: readonly Item[]; readonly repository: string | null };

function ItemTable({ items, repository }: TableProps) {
  const tools = useTools(repository);
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label="Items">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Analysis</th>
            <th scope="col">Code since</th>
            <th scope="col" className="number">
              Age
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.slug}>
              <td className="table-main">{item.slug}</td>
              <td>
                <span className={`badge badge-${item.isBuilt ? "good" : "plain"}`}>
                  {item.isBuilt ? "built" : item.status}
                </span>
              </td>
              <td>{staleText(item)}</td>
              <td className="number">{item.createdAt === null ? "" : formatAge(item.createdAt)}</td>
              <td className="row-tools">{item.isBuilt ? null : tools(item)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the actions that this user may start for an item. A team's workers only build. */
function useTools(repository: string | null): (item: Item) => React.JSX.Element | null {
  const mayBegin = useRepositories().some((one) => one.mayBegin && one.name === repository);
  if (isTeam && !mayBegin) return () => null;
  const of = repository === null ? {} : { repository };
  return ({ slug, status }) => (
    <>
      {isTeam || status === "analyzed" ? null : <BeginLink what="analyze" label="Analyze" item={slug} />}
      <BeginLink what="build" label="Build" item={slug} {...of} />
    </>
  );
}

type ItemStart = NewRunSearch & { readonly label: string; readonly item: string };

function BeginLink({ label, ...wanted }: ItemStart) {
  return (
    <Link to="/new" search={wanted} className="button button-small" aria-label={`${label} ${wanted.item}`}>
      {label}
    </Link>
  );
}

function staleText({ isStale, isBuilt, status }: Item) {
  if (isBuilt || status === "raw") return <span className="subtle">–</span>;
  if (isStale === null) return <span className="subtle">unknown</span>;
  return isStale ? <span className="badge badge-warn">moved on</span> : "unchanged";
}
