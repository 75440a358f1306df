import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ItemList } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { ageOf, plural } from "../words.ts";

type Item = ItemList["items"][number];

export function Items() {
  const [search, setSearch] = useState("");
  const { data, error, isPending } = useQuery({ queryKey: ["items"], queryFn: api.items });
  const found = data?.items.filter(({ slug }) => slug.toLowerCase().includes(search.trim().toLowerCase())) ?? [];
  return (
    <div className="page">
      <div className="page-head">
        <h1>Items</h1>
        <p className="subtle">{data === undefined ? "" : plural(data.items.length, "item")}</p>
      </div>
      <div className="toolbar">
        <SearchField what="items" value={search} onChange={setSearch} />
      </div>
      {error === null ? null : <Trouble error={error} />}
      {isPending ? <Loading what="the items" /> : null}
      {data !== undefined && found.length === 0 ? (
        <div className="empty">
          <p>{data.items.length === 0 ? "No item is on record." : "No item matches."}</p>
          <p className="subtle">
            <Link to="/new">Put one on record</Link>, or in a terminal: <code>isdlc add "what to do"</code>.
          </p>
        </div>
      ) : null}
      {found.length === 0 ? null : <ItemTable items={found} />}
    </div>
  );
}

function ItemTable({ items }: { readonly items: readonly Item[] }) {
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
              <span className="visually-hidden">What may be done</span>
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
              <td className="number">{item.createdAt === null ? "" : ageOf(item.createdAt)}</td>
              <td className="row-tools">{item.isBuilt ? null : <ItemTools item={item} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ItemTools({ item: { slug, status } }: { readonly item: Item }) {
  return (
    <>
      {status === "analyzed" ? null : <BeginLink what="analyze" label="Analyze" item={slug} />}
      <BeginLink what="build" label="Build" item={slug} />
    </>
  );
}

type Beginning = { readonly what: "analyze" | "build"; readonly label: string; readonly item: string };

function BeginLink({ what, label, item }: Beginning) {
  return (
    <Link to="/new" search={{ what, item }} className="button button-small" aria-label={`${label} ${item}`}>
      {label}
    </Link>
  );
}

function staleText({ isStale, isBuilt, status }: Item) {
  if (isBuilt || status === "raw") return <span className="subtle">–</span>;
  if (isStale === null) return <span className="subtle">unknown</span>;
  return isStale ? <span className="badge badge-warn">moved on</span> : "unchanged";
}
