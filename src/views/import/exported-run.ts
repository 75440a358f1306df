import type { RunState } from "../../core/run.ts";
import type { RunEvent } from "../../schema/event.ts";
import { historyLines } from "../history.ts";
import { plainLine } from "../plain-text.ts";

export type JudgedStatement =
  | { readonly is: "believed"; readonly signers: readonly string[]; readonly seq: number }
  | { readonly is: "landing"; readonly signers: readonly string[]; readonly commit: string }
  | { readonly is: "refused"; readonly why: string };

/** Evidence that the exporter did not change a file. */
export type FileEvidence =
  /** The journal: a signed statement contains its hash. */
  | { readonly by: "statement"; readonly seq: number }
  /** A file that isdlc can derive from the journal, with equal content. */
  | { readonly by: "journal" }
  /** A file of signed lines, verified separately and listed above it. */
  | { readonly by: "itself" }
  | { readonly by: "nothing" };

export type ExportedFile = { readonly name: string; readonly evidence: FileEvidence };

export type ExportView = {
  readonly run: string;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly files: readonly ExportedFile[];
  readonly statements: readonly JudgedStatement[];
};

/** Formats an exported run for readers elsewhere. */
export function exportLines({ run, state, events, files, statements }: ExportView): string[] {
  const title = state.is === "none" ? "" : `: ${plainLine(state.run.title, 200)}`;
  return [
    `Run ${run}${title} (read only)`,
    "",
    ...(statements.length === 0 ? ["No statement was signed about it."] : statements.map(statementLine)),
    ...unsignedEvents(events, statements),
    "",
    ...historyLines(events),
    "",
    "Files and the evidence for each (isdlc import <archive> --file <name> shows one, --report <file> writes the page):",
    ...files.map((file) => `  ${plainLine(file.name, 200)}: ${evidenceText(file.evidence)}`),
  ];
}

/** Returns the number of the last event covered by a believed statement, or 0 without one. */
export const signedUpTo = (statements: readonly JudgedStatement[]): number =>
  Math.max(0, ...statements.map((statement) => (statement.is === "believed" ? statement.seq : 0)));

function unsignedEvents(events: readonly RunEvent[], statements: readonly JudgedStatement[]): string[] {
  const [signed, last] = [signedUpTo(statements), events.at(-1)?.seq ?? 0];
  return signed >= last
    ? []
    : [`Events ${signed + 1} to ${last} are not signed: the author of the archive may have written them.`];
}

function evidenceText(evidence: FileEvidence): string {
  if (evidence.by === "statement") return `signed up to event ${evidence.seq}`;
  if (evidence.by === "journal") return "follows from the journal";
  return evidence.by === "itself" ? "signed line by line, see above" : "not signed";
}

function statementLine(statement: JudgedStatement): string {
  if (statement.is === "refused") return `A statement is not believed: ${plainLine(statement.why, 300)}`;
  const who = statement.signers.map((signer) => plainLine(signer, 100)).join(", ");
  if (statement.is === "landing") return `The merge as ${statement.commit.slice(0, 12)} is signed by ${who}`;
  return `The journal up to event ${statement.seq} is signed by ${who}`;
}
