import type { GateView } from "../../../src/schema/api.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { plural } from "../words.ts";
import type { GateChanges } from "./use-changes.ts";

type ChangesProps = {
  readonly gate: GateView;
  readonly changes: GateChanges;
  readonly goal: { readonly key: string; readonly at: number } | null;
};

export function Changes({ gate, changes, goal }: ChangesProps) {
  if (!gate.isGit)
    return <p className="notice">Without git there is no diff; the documents are all there is to read.</p>;
  const { diff, error, files, rows, layout, isViewed, toggle, mark } = changes;
  const isMarked = (path: string): boolean => files.some((file) => file.path === path && isViewed(file));
  return (
    <section aria-labelledby="changes" className="gate-section">
      <ChangesHead gate={gate} changes={changes} />
      {error === null ? null : <Trouble error={error} />}
      {diff === undefined && error === null ? <Loading what="the changes" /> : null}
      {diff !== undefined && files.length === 0 ? <p className="empty">No files changed.</p> : null}
      {diff?.isCut === true ? <p className="notice notice-warn">The diff is too long; its end is not shown.</p> : null}
      {files.length === 0 ? null : (
        <DiffView rows={rows} layout={layout} goal={goal} onToggle={toggle} onViewed={mark} isViewed={isMarked} />
      )}
    </section>
  );
}

function ChangesHead({ gate, changes }: Pick<ChangesProps, "gate" | "changes">) {
  const { files, against, layout, isNarrow, setAgainst, setLayout } = changes;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div className="changes-head">
      <h2 id="changes">Changes</h2>
      <span className="subtle">
        {plural(files.length, "file")} <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
      </span>
      <span className="spring" />
      {gate.hasSeen ? (
        <Segments
          label="Compare with"
          value={against}
          options={[
            ["seen", "Since you last looked"],
            ["base", "Everything"],
          ]}
          onChange={setAgainst}
        />
      ) : null}
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
