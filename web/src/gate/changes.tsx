import type { GateView } from "../../../src/schema/api.ts";
import { useDeferredValue, useMemo, useState } from "react";
import { findMatches, NO_SEARCH, SearchContext, toExpression } from "../diff/search.ts";
import { SearchBar } from "../diff/search-bar.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { plural } from "../words.ts";
import type { Navigation } from "./navigation.ts";
import type { GateChanges } from "./use-changes.ts";

type ChangesProps = {
  readonly gate: GateView;
  readonly changes: GateChanges;
  readonly navigation: Navigation;
};

export function Changes({ gate, changes, navigation }: ChangesProps) {
  const { search, setSearch, expression, matches } = useSearch(changes);
  if (!gate.isGit)
    return <p className="notice">Without git there is no diff; the documents are all there is to read.</p>;
  const { goal, goToRow } = navigation;
  const { diff, error, files, rows, layout, isViewed, toggle, mark } = changes;
  const isMarked = (path: string): boolean => files.some((file) => file.path === path && isViewed(file));
  return (
    <section aria-labelledby="changes" className="gate-section changes">
      <ChangesHead gate={gate} changes={changes} />
      {files.length === 0 ? null : (
        <SearchBar
          search={search}
          matches={matches}
          onSearch={setSearch}
          onGo={({ path, key }) => goToRow(path, key)}
        />
      )}
      {error === null ? null : <Trouble error={error} />}
      {diff === undefined && error === null ? <Loading what="the changes" /> : null}
      {diff !== undefined && files.length === 0 ? <p className="empty">No files changed.</p> : null}
      {diff?.isCut === true ? (
        <p className="notice notice-warn">
          The diff is too long: {diff.notShown} are neither listed nor shown. To read them: <code>git diff</code> in the
          working tree.
        </p>
      ) : null}
      {files.length === 0 ? null : (
        <SearchContext value={expression}>
          <DiffView rows={rows} layout={layout} goal={goal} onToggle={toggle} onViewed={mark} isViewed={isMarked} />
        </SearchContext>
      )}
    </section>
  );
}

function useSearch({ allRows, diff, layout }: GateChanges) {
  const [search, setSearch] = useState(NO_SEARCH);
  const wanted = useDeferredValue(search);
  const expression = useMemo(() => toExpression(wanted), [wanted]);
  const matches = useMemo(
    () => (expression === null || expression === "invalid" ? [] : findMatches(allRows(), expression)),
    // Rows depend on the diff and its layout. Notes are not searched.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [expression, diff, layout],
  );
  const isInvalid = expression === "invalid";
  return {
    search,
    setSearch,
    expression: isInvalid ? null : expression,
    matches: isInvalid ? ("invalid" as const) : matches,
  };
}

function ChangesHead({ gate, changes }: Pick<ChangesProps, "gate" | "changes">) {
  const { files, against, layout, order, ignoresSpaces, isNarrow, setAgainst, setLayout, setOrder } = changes;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div className="changes-head">
      <h2 id="changes">Changes</h2>
      <span className="subtle">
        {plural(files.length, "file")} <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
      </span>
      <span className="spring" />
      <Segments
        label="Compare with"
        value={against}
        options={[
          ...(gate.hasSeen ? [["seen", "Since your last review"] as const] : []),
          ["phase", "This phase"],
          ["base", "Everything"],
        ]}
        onChange={setAgainst}
      />
      <Segments label="Order" value={order} options={ORDERS} onChange={setOrder} />
      <button
        type="button"
        className="quiet"
        aria-pressed={ignoresSpaces}
        onClick={() => changes.setIgnoresSpaces(!ignoresSpaces)}
      >
        Ignore white space
      </button>
      {isNarrow ? null : (
        <Segments
          label="Layout"
          value={layout}
          options={[
            ["unified", "Unified"],
            ["split", "Side by side"],
          ]}
          onChange={setLayout}
        />
      )}
    </div>
  );
}

const ORDERS = [
  ["review", "Review order"],
  ["tree", "Folders"],
  ["name", "Names"],
] as const;

type SegmentsProps<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
};

function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={value === name} onClick={() => onChange(name)}>
          {text}
        </button>
      ))}
    </div>
  );
}
