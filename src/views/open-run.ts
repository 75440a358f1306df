import { describe } from "../core/problem.ts";
import { type ActiveRun, currentPhase, type Wait } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";
import { runItem, type Liveness, statusWord } from "./status.ts";

const MAX_SHOWN_TITLE_LENGTH = 100;

/** Which run is open and where it stands, in one line. */
export function openRunLine(run: ActiveRun, { driven }: Liveness): string {
  const phase = currentPhase(run)?.rule.key;
  const where = `${statusWord(run, driven)}${phase === undefined ? "" : ` in ${phase}`}`;
  return `"${plainLine(run.run.title, MAX_SHOWN_TITLE_LENGTH)}" (${run.run.workflow}, ${where})`;
}

/** For whoever wanted to begin something else. `wanted` is null where they named nothing of their own. */
export function notBegunLine(run: ActiveRun, wanted: string | null, liveness: Liveness): string {
  const isAnother = wanted !== null && wanted !== run.run.title;
  const what = isAnother
    ? `"${plainLine(wanted, MAX_SHOWN_TITLE_LENGTH)}" was not started`
    : "No second run was started";
  return `${what}, because a run is open: ${openRunLine(run, liveness)}.`;
}

/** Another terminal shows what is open; nobody answers it under the hands of the person there. */
export function heldLines({ kind }: Wait, pid: number): string[] {
  const { what, fix } = describe({ code: "GATE_HELD", pid });
  return kind === "gate"
    ? [what, fix]
    : [`It is asked at another terminal (process ${pid}).`, "Answer it there, or leave it open there first."];
}

/** The way on for whoever finds a run that another process drives. */
export const watchLine = (run: ActiveRun): string => `Watch it: isdlc resume${itemFlag(run)}`;

/** The way out of a run that is in the way. */
export const endLine = (run: ActiveRun): string => `Or end it: isdlc cancel --reason "…"${itemFlag(run)}`;

const itemFlag = (run: ActiveRun): string => (runItem(run) === null ? "" : ` --item ${runItem(run)}`);
