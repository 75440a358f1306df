import pc from "picocolors";
import type { Progress } from "../../../ports/progress.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { workLines } from "../../../views/work-lines.ts";
import type { LocalProject } from "../../../compose/project.ts";
import type { Io } from "../terminal/io.ts";
import { paintWorkLine, type ProgressView } from "../terminal/progress.ts";

/** Tells a run line by line: what the agents say, and between it what the journal recorded since. */
export function createNarrator(io: Io, project: LocalProject): ProgressView {
  const colors = pc.createColors(io.color);
  const paint = paintWorkLine(colors);
  let told = 0;
  const catchUp = (): void => {
    const run = project.journal.newest();
    if (run === null) return;
    const events = project.journal.events(run);
    for (const line of workLines(events, told)) io.out(`${line.mark === "begun" ? "\n" : ""}${paint(line)}`);
    told = events.at(-1)?.seq ?? told;
  };
  return {
    show(progress) {
      if (progress.at === "ended") return;
      catchUp();
      const line = lineOf(progress);
      if (line !== null) io.out(colors.dim(line));
    },
    stop: catchUp,
  };
}

function lineOf({ at, step, text }: Progress): string | null {
  if (at === "started") return null;
  const teller = step === "review" ? "reviewer" : step === "check" ? "checks  " : "agent   ";
  return `    ${teller}  ${step === "check" ? "runs " : ""}${plainLine(text, 160)}`;
}
