import { useQuery } from "@tanstack/react-query";
import type { DiffFile } from "../../../src/schema/api-diff.ts";
import type { GateView } from "../../../src/schema/api.ts";
import type { CommentPlace } from "../../../src/schema/comments.ts";
import { api } from "../api.ts";
import { splitHunks, pairLines } from "../diff/diff-rows.ts";
import { LineText } from "../diff/line-text.tsx";
import type { Hunk, PatchLine } from "../diff/parse-patch.ts";

/** Lines before and after a commented line in which a change still belongs to the comment. */
const NEARBY = 1;
const SIGNS = { context: " ", added: "+", removed: "−" } as const;

type ChangeProps = { readonly gate: GateView; readonly place: CommentPlace };

/** Displays how the commented lines changed since the user's last review. */
export function ChangeAt({ gate, place }: ChangeProps) {
  const { data } = useQuery({
    queryKey: ["run", gate.run, "diff", "seen", gate.shown],
    queryFn: () => api.diff(gate.run, "seen"),
    enabled: gate.hasSeen,
  });
  if (data === undefined) return null;
  const file = data.files.find((one) => one.path === place.path || one.was === place.path);
  const lines = file === undefined ? [] : changedNear(file, place);
  if (file === undefined || lines.length === 0)
    return <p className="subtle change-at-none">This line did not change.</p>;
  return (
    <div className="change-at" role="group" aria-label={`Change at line ${place.line} of ${place.path}`}>
      {lines.map(({ line, other }, index) => (
        <div key={index} className={`diff-line ${line.kind}`}>
          <span className="sign">{SIGNS[line.kind]}</span>
          <LineText path={file.path} line={line} other={other} />
        </div>
      ))}
    </div>
  );
}

type ChangedLine = { readonly line: PatchLine; readonly other: PatchLine | null };

/** Finds lines by their old numbers, because the comment refers to the earlier text. */
function changedNear(file: DiffFile, { line, endLine = line }: CommentPlace): ChangedLine[] {
  return splitHunks(file).flatMap((hunk) => {
    const changed = pairLines(hunk).filter(({ left, right }) => left !== right);
    const near = changed.filter(({ left, right }) => {
      const at = left?.oldNumber ?? before(hunk, right);
      return at >= line - NEARBY && at <= endLine + NEARBY;
    });
    return [
      ...near.flatMap(({ left, right }) => (left === null ? [] : [{ line: left, other: right }])),
      ...near.flatMap(({ left, right }) => (right === null ? [] : [{ line: right, other: left }])),
    ];
  });
}

/** Returns the old number of the last line before an added one. */
function before({ lines }: Hunk, added: PatchLine | null): number {
  const at = added === null ? -1 : lines.indexOf(added);
  return lines.slice(0, at).findLast(({ oldNumber }) => oldNumber !== null)?.oldNumber ?? 0;
}
