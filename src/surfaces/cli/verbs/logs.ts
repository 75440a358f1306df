import pc from "picocolors";
import { readActivity, followActivity, type TranscriptLines } from "../../../adapters/files/transcripts.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { openElsewhere } from "../../../compose/open-elsewhere.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RunId } from "../../../schema/ids.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { openRunLine } from "../../../views/open-run.ts";
import { done, flag, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { withSignals } from "../invocation/signals.ts";
import type { Io } from "../invocation/io.ts";

/** Prints the output of a run's agents: from the newest execution, from named ones, or live. */
export const logs: Run = async (invocation) => {
  const project = openInvokedProject(invocation);
  const { run } = await currentRun(project, text(invocation.values, "run"));
  if (run === null) throw new ProblemError({ code: "NO_RUN", elsewhere: openElsewhere(project) });
  const wanted = invocation.words[0];
  const executions = listExecutions(project, run);
  const shown = wanted === undefined ? executions.slice(-1) : executions.filter(isNamed(wanted));
  if (wanted !== undefined && shown.length === 0) throw unknownExecution(invocation, wanted, executions);
  if (flag(invocation.values, "follow")) return follow(invocation, project, { run, wanted });
  const lines = shown.flatMap((said) => executionLines(said, invocation.io));
  return done([...lines, ...othersLine(executions, shown)], { run, executions: shown });
};

export type ExecutionLines = TranscriptLines & { readonly isCut?: boolean };

const listExecutions = (project: LocalProject, run: RunId): ExecutionLines[] =>
  readActivity(project, run).executions.map(({ name, lines, isCut }) => ({ execution: name, lines, isCut }));

/** `plan` matches all executions of the phase, `plan#2` those of one attempt, `plan#2.1` a single one. */
export const isNamed =
  (wanted: string) =>
  ({ execution }: Pick<TranscriptLines, "execution">): boolean =>
    execution === wanted || execution.startsWith(`${wanted}#`) || execution.startsWith(`${wanted}.`);

export function unknownExecution(
  { verb }: Invocation,
  wanted: string,
  executions: readonly TranscriptLines[],
): ProblemError {
  const there = executions.map(({ execution }) => execution).join(", ");
  const detail = `No agent has worked on "${plainLine(wanted, 80)}" in this run${there === "" ? "" : `; there are ${there}`}.`;
  return new ProblemError({ code: "USAGE", detail, usage: verb.usage });
}

export function executionLines({ execution, lines, isCut = false }: ExecutionLines, io: Io): string[] {
  const cut = isCut ? ["… earlier output is omitted; the full log is in .isdlc/runs"] : [];
  return [heading(execution, io), ...cut, ...(lines.length === 0 ? ["No output yet."] : lines)];
}

export const heading = (execution: string, { color }: Io): string => pc.createColors(color).bold(`▸ ${execution}`);

export function othersLine(executions: readonly TranscriptLines[], shown: readonly TranscriptLines[]): string[] {
  if (executions.length === 0) return ["No agent has worked in this run yet."];
  const others = executions.filter((one) => !shown.includes(one)).map(({ execution }) => execution);
  return others.length === 0 ? [] : ["", `Also: ${others.join(", ")} (isdlc logs <execution>)`];
}

type FollowRequest = { readonly run: RunId; readonly wanted: string | undefined };

/** Follows until the run ends or Ctrl-C. */
function follow({ io }: Invocation, project: LocalProject, { run, wanted }: FollowRequest): Promise<Result> {
  const executions = listExecutions(project, run).map(({ execution }) => execution);
  const earlier = new Set(executions.slice(0, -1));
  const isWanted = wanted === undefined ? ({ execution }: TranscriptLines) => !earlier.has(execution) : isNamed(wanted);
  let current: string | null = null;
  const tell = (said: TranscriptLines): void => {
    if (!isWanted(said)) return;
    if (said.execution !== current) io.out(heading(said.execution, io));
    current = said.execution;
    for (const line of said.lines) io.out(line);
  };
  return withSignals(async (signal) => {
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    followActivity(project, run, { tell, signal: until, fromStart: true });
    await untilEnded({ io }, project, { run, signal });
    ended.abort();
    return done([], { run });
  });
}

/** Reports each wait, because the agents print nothing until it is answered. */
async function untilEnded(
  { io }: Pick<Invocation, "io">,
  { journal }: LocalProject,
  { run, signal }: { run: RunId; signal: AbortSignal },
): Promise<void> {
  for (let told = ""; !signal.aborted;) {
    const { state } = journal.load(run);
    if (state.is !== "active") return;
    if (state.wait !== null && state.wait.id !== told)
      io.out(`Waiting for you: ${openRunLine(state, { driven: true })}`);
    told = state.wait?.id ?? "";
    await journal.changed(run, signal);
  }
}
