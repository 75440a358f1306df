import pc from "picocolors";
import type { Progress } from "../../../engine/engine.ts";
import type { CheckResult } from "../../../schema/facts.ts";
import type { RunEvent } from "../../../schema/event.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { Io } from "../terminal/io.ts";
import type { ProgressView } from "../terminal/progress.ts";
import type { Project } from "../project.ts";

type Paint = ReturnType<typeof pc.createColors>;

/** Tells a run line by line: what the agents say, and between it what the journal recorded since. */
export function createNarrator(io: Io, project: Project): ProgressView {
  const paint = pc.createColors(io.color);
  let told = 0;
  const catchUp = (): void => {
    const run = project.journal.newest();
    if (run === null) return;
    for (const event of project.journal.events(run).filter(({ seq }) => seq > told)) {
      told = event.seq;
      for (const line of linesOf(event, paint)) io.out(line);
    }
  };
  return {
    show(progress) {
      if (progress.at === "ended") return;
      catchUp();
      const line = lineOf(progress);
      if (line !== null) io.out(paint.dim(line));
    },
    stop: catchUp,
  };
}

function lineOf({ at, step, text }: Progress): string | null {
  if (at === "started") return null;
  const teller = step === "review" ? "reviewer" : step === "check" ? "checks  " : "agent   ";
  return `    ${teller}  ${step === "check" ? "runs " : ""}${plainLine(text, 160)}`;
}

type Tellers = { readonly [T in RunEvent["type"]]?: (event: Extract<RunEvent, { type: T }>, marks: Marks) => string[] };
type Marks = { readonly head: Mark; readonly good: Mark; readonly bad: Mark };
type Mark = (line: string) => string;

/** What is worth a line; the journal has the rest. */
const tellers: Tellers = {
  "attempt.started": ({ phase, attempt }, { head }) => [
    "",
    head(`▸ ${phase}${attempt > 1 ? `, attempt ${attempt}` : ""}`),
  ],
  "checks.passed": ({ results }, { good }) => results.filter(isTests).map(({ detail }) => good(plainLine(detail))),
  "checks.failed": ({ results }, { bad }) => [
    ...results.filter(({ ok }) => ok === false).map((result) => bad(failure(result))),
    BACK,
  ],
  "verdict.given": ({ approved, issues, summary }, { good, bad }) =>
    approved
      ? [good(`reviewer approves: ${plainLine(summary, 200)}`)]
      : [...issues.map(({ description }) => bad(`reviewer: ${plainLine(description, 240)}`)), BACK],
  "tasks.refined": ({ tasks }, { good }) => [good(`the design is cut into ${tasks} tasks (tasks.md)`)],
  "phase.committed": ({ commit }, { good }) => (commit === null ? [] : [good(`committed ${commit.slice(0, 7)}`)]),
};

function linesOf(event: RunEvent, paint: Paint): string[] {
  const tell = tellers[event.type] as ((event: RunEvent, marks: Marks) => string[]) | undefined; // keyed by its own type
  return (
    tell?.(event, {
      head: paint.bold,
      good: (line) => `  ${paint.green("✓")} ${line}`,
      bad: (line) => `  ${paint.red("✗")} ${line}`,
    }) ?? []
  );
}

const BACK = "    sent back to the agent";

const isTests = ({ name, ok }: CheckResult): boolean => name === "tests" && ok === true;

/** What the runner ended with, and which tests the sample's runner names. */
function failure({ name, detail }: CheckResult): string {
  const [first = "", ...rest] = detail.split("\n").map((line) => plainLine(line, 120));
  const failed = rest.flatMap((line) => /^✖ (.+) \([\d.]+ms\)$/.exec(line)?.[1] ?? []);
  return [`${name}: ${first}`, ...failed.slice(0, 3).map((test) => `      ${test}`)].join("\n");
}
