import { shellWord } from "../core/shell-word.ts";
import { plainLine } from "./plain-text.ts";

/** A working tree, or the analysis of an item in it. */
export type TreeRow = {
  readonly path: string;
  readonly item: string | null;
  readonly isHere: boolean;
  /** The newest run; null when there was none. */
  readonly run: {
    readonly id: string;
    readonly workflow: string;
    readonly title: string;
    readonly phase: string | null;
    readonly status: string;
    readonly isOpen: boolean;
  } | null;
  /** Code of what keeps its journal from being read. */
  readonly problem: string | null;
};

/** Working trees for people: what is open in each, and the command to look closer. */
export function treesTable(rows: readonly TreeRow[]): string[] {
  return rows.flatMap((row) => [
    `${plainLine(row.path)}${row.item === null ? "" : `, item ${row.item}`}${row.isHere ? " (here)" : ""}`,
    `  ${describeState(row)}`,
    ...(row.run?.isOpen === true || row.problem !== null ? [`  ${resumeCommand(row)}`] : []),
  ]);
}

function describeState({ run, problem }: TreeRow): string {
  if (problem !== null) return `cannot be read: ${problem}`;
  if (run === null) return "no run";
  if (!run.isOpen) return `no open run; the last was ${run.id}, ${run.status}`;
  const phase = run.phase === null ? "" : ` · ${run.phase}`;
  return `${run.status}${phase} · ${run.id} · ${run.workflow}: ${plainLine(run.title, 60)}`;
}

/** Which looks at that run from wherever it is typed. */
export function resumeCommand({ path, item, isHere }: Pick<TreeRow, "path" | "item" | "isHere">): string {
  const where = isHere ? "" : ` -C ${shellWord(path)}`;
  return `isdlc${where} status${item === null ? "" : ` --item ${item}`}`;
}
