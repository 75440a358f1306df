import { shellWord } from "../core/shell-word.ts";
import { plainLine } from "./plain-text.ts";

/** A working tree, or the analysis of an item in it. */
export type TreeRow = {
  readonly path: string;
  readonly item: string | null;
  readonly isHere: boolean;
  /** Newest run, if any. */
  readonly run: {
    readonly id: string;
    readonly workflow: string;
    readonly title: string;
    readonly phase: string | null;
    readonly status: string;
    readonly isOpen: boolean;
  } | null;
  /** Code of the problem that prevents reading the journal. */
  readonly problem: string | null;
};

/** Formats working trees: the open run of each, with the command to display it. */
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

/** Returns the command to display this run from the current directory. */
export function resumeCommand({ path, item, isHere }: Pick<TreeRow, "path" | "item" | "isHere">): string {
  const where = isHere ? "" : ` -C ${shellWord(path)}`;
  return `isdlc${where} status${item === null ? "" : ` --item ${item}`}`;
}
