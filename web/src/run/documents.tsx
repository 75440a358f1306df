import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { api } from "../api.ts";
import { Markdown } from "../parts/markdown.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";

export function Documents({ detail }: { readonly detail: RunDetail }) {
  const all = detail.phases.flatMap(({ name, documents }) => documents.map((path) => ({ name, path })));
  const [chosen, setChosen] = useState<string | null>(null);
  const path = chosen ?? all.at(-1)?.path ?? null;
  if (path === null) return <p className="empty">No document has been made yet.</p>;
  return (
    <div className="documents">
      <ul className="document-list">
        {all.map((one) => (
          <li key={`${one.name}${one.path}`}>
            <button type="button" aria-pressed={one.path === path} onClick={() => setChosen(one.path)}>
              <span className="subtle">{one.name}</span>
              <span className="path">{one.path.slice(one.path.lastIndexOf("/") + 1)}</span>
            </button>
          </li>
        ))}
      </ul>
      <OneDocument run={detail.row.id} path={path} />
    </div>
  );
}

function OneDocument({ run, path }: { readonly run: string; readonly path: string }) {
  const { data, error } = useQuery({
    queryKey: ["run", run, "document", path],
    queryFn: () => api.document(run, path),
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what={path} />;
  return (
    <article className="document" aria-label={path}>
      <header className="document-head">
        <h3 className="path">{path}</h3>
      </header>
      {data.text === null ? (
        <p className="subtle">File missing or not text.</p>
      ) : /\.(?:md|markdown)$/i.test(path) ? (
        <Markdown text={data.text} />
      ) : (
        <pre className="plain" tabIndex={0}>
          {data.text}
        </pre>
      )}
    </article>
  );
}
