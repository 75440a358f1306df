import { setTimeout as delay } from "node:timers/promises";
import type { TranscriptLines } from "../../../../adapters/files/transcripts.ts";
import { openRunLine } from "../../../../views/open-run.ts";
import { TeamActivity } from "../../../../schema/api-team.ts";
import { done, flag, type Invocation, type Result } from "../../invocation/verb.ts";
import { withSignals } from "../../invocation/signals.ts";
import { executionLines, heading, isNamed, othersLine, unknownExecution, type ExecutionLines } from "../logs.ts";
import type { Io } from "../../invocation/io.ts";
import { readTeamRun, type TeamRun } from "./team-run.ts";

const LOG_POLL_INTERVAL_MS = 1000;

/** Prints the output of the agents of a team's run, from every worker. */
export async function showLogs(invocation: Invocation, team: TeamRun): Promise<Result> {
  const [wanted] = invocation.words;
  const { said } = await saidAfter(team, 0);
  const executions = byExecution(said);
  const shown = wanted === undefined ? executions.slice(-1) : executions.filter(isNamed(wanted));
  if (flag(invocation.values, "follow")) return follow(invocation, team, wanted);
  if (wanted !== undefined && shown.length === 0) throw unknownExecution(invocation, wanted, executions);
  const lines = shown.flatMap((one) => executionLines(one, invocation.io));
  return done([...lines, ...othersLine(executions, shown)], { run: team.row.run, executions: shown });
}

const saidAfter = ({ ask, row }: TeamRun, after: number) =>
  ask({ method: "GET", path: `/api/runs/${row.run}/activity?after=${after}`, answer: TeamActivity });

function byExecution(said: TeamActivity["said"]): readonly ExecutionLines[] {
  const found = new Map<string, string[]>();
  for (const { execution, lines } of said) found.set(execution, [...(found.get(execution) ?? []), ...lines]);
  return [...found].map(([execution, lines]) => ({ execution, lines }));
}

/** Follows until the run ends or Ctrl-C. Reports each wait, because the agents print nothing until it is answered. */
function follow({ io }: Invocation, team: TeamRun, wanted: string | undefined): Promise<Result> {
  const tell = createTeller(io, wanted);
  return withSignals(async (signal) => {
    for (let after = 0, told = ""; !signal.aborted;) {
      const { state } = await readTeamRun(team);
      const { said } = await saidAfter(team, after);
      for (const one of said) tell(one);
      after = said.at(-1)?.number ?? after;
      if (state.is === "ended") break;
      const waiting = state.is === "active" && state.wait !== null ? openRunLine(state, { driven: true }) : "";
      if (waiting !== "" && waiting !== told) io.out(`Waiting for you: ${waiting}`);
      told = waiting;
      await delay(LOG_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined); // aborted
    }
    return done([], { run: team.row.run });
  });
}

function createTeller(io: Io, wanted: string | undefined): (said: TranscriptLines) => void {
  let current: string | null = null;
  return (said) => {
    if (wanted !== undefined && !isNamed(wanted)(said)) return;
    if (said.execution !== current) io.out(heading(said.execution, io));
    current = said.execution;
    for (const line of said.lines) io.out(line);
  };
}
