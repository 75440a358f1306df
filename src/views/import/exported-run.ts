import type { RunState } from "../../core/run.ts";
import type { RunEvent } from "../../schema/event.ts";
import { historyLines } from "../history.ts";
import { plainLine } from "../plain-text.ts";

export type JudgedStatement =
  | { readonly is: "believed"; readonly signers: readonly string[]; readonly seq: number }
  | { readonly is: "refused"; readonly why: string };

export type ExportView = {
  readonly run: string;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly names: readonly string[];
  readonly statements: readonly JudgedStatement[];
};

/** An exported run, as somebody elsewhere reads it. */
export function exportLines({ run, state, events, names, statements }: ExportView): string[] {
  const title = state.is === "none" ? "" : `: ${plainLine(state.run.title, 200)}`;
  return [
    `Run ${run}${title} (read only; every file is as it was exported, and the journal is whole)`,
    "",
    ...(statements.length === 0 ? ["No statement was signed about it."] : statements.map(statementLine)),
    "",
    ...historyLines(events),
    "",
    "Files (isdlc import <archive> --file <name> shows one, --report <file> writes the page):",
    ...names.map((name) => `  ${plainLine(name, 200)}`),
  ];
}

function statementLine(statement: JudgedStatement): string {
  if (statement.is === "refused") return `A statement is not believed: ${plainLine(statement.why, 300)}`;
  const who = statement.signers.map((signer) => plainLine(signer, 100)).join(", ");
  return `Vouched for by ${who}, up to event ${statement.seq}`;
}
