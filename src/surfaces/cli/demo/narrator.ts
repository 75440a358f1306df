import pc from "picocolors";
import type { Progress } from "../../../ports/progress.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { wrapLines } from "../../../views/wrap-lines.ts";
import { workLines } from "../../../views/work-lines.ts";
import type { LocalProject } from "../../../compose/project.ts";
import type { Io } from "../invocation/io.ts";
import { paintWorkLine, type ProgressView } from "../terminal/progress.ts";

/** Prints a run line by line: the agents' messages, and the events recorded between them. */
export function createNarrator(io: Io, project: LocalProject): ProgressView {
  const colors = pc.createColors(io.color);
  const paint = paintWorkLine(colors);
  let told = 0;
  const catchUp = (): void => {
    const run = project.journal.newest();
    if (run === null) return;
    const events = project.journal.events(run);
    for (const { mark, text } of workLines(events, told))
      io.out(
        `${mark === "begun" ? "\n" : ""}${paint({ mark, text: indented(text, { room: io.columns, indent: 4 }) })}`,
      );
    told = events.at(-1)?.seq ?? told;
  };
  return {
    show(progress) {
      if (progress.at === "ended") return;
      catchUp();
      const line = formatLine(progress, io.columns);
      if (line !== null) io.out(colors.dim(line));
    },
    stop: catchUp,
  };
}

/** Columns of `    reviewer  `. */
const TELLER_WIDTH = 14;

/** Wraps text that starts at an indent, and indents its further lines. */
const indented = (text: string, { room, indent }: { readonly room: number; readonly indent: number }): string =>
  wrapLines(text, room - indent).replaceAll("\n", `\n${" ".repeat(indent)}`);

function formatLine({ at, step, text }: Progress, room: number): string | null {
  if (at === "started") return null;
  const teller = step === "review" ? "reviewer" : step === "check" ? "checks  " : "agent   ";
  const told = `${step === "check" ? "runs " : ""}${plainLine(text, 160)}`;
  return `    ${teller}  ${indented(told, { room, indent: TELLER_WIDTH })}`;
}
