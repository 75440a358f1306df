import { describe } from "../core/problem.ts";
import { type ActiveRun, currentPhase, type Wait } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";
import { runItem, type Liveness, statusWord } from "./status.ts";
import type { EarlierWorkflow } from "../core/items/earlier-state.ts";

const MAX_SHOWN_TITLE_LENGTH = 100;

/** Describes the open run and its status in one line. */
export function openRunLine(run: ActiveRun, { driven }: Liveness): string {
  const phase = currentPhase(run)?.rule.key;
  const where = `${statusWord(run, driven)}${phase === undefined ? "" : ` in ${phase}`}`;
  return `"${plainLine(run.run.title, MAX_SHOWN_TITLE_LENGTH)}" (${run.run.workflow}, ${where})`;
}

/** Explains why no other run was started. `wanted`: title of the requested run, or null if the user named none. */
export function notBegunLine(run: ActiveRun, wanted: string | null, liveness: Liveness): string {
  const isAnother = wanted !== null && wanted !== run.run.title;
  const what = isAnother
    ? `"${plainLine(wanted, MAX_SHOWN_TITLE_LENGTH)}" was not started`
    : "No second run was started";
  return `${what}, because a run is open: ${openRunLine(run, liveness)}.`;
}

/** Explains that another terminal shows the wait: only its user may answer or leave it. */
export function heldLines({ kind }: Wait, pid: number): string[] {
  const { what, fix } = describe({ code: "GATE_HELD", pid });
  return kind === "gate"
    ? [what, fix]
    : [`The question is open in another terminal (process ${pid}).`, "Answer it there, or leave it open there first."];
}

/** Returns the command to watch a run that another process drives. */
export const watchLine = (run: ActiveRun): string => `Watch it: isdlc resume${itemFlag(run)}`;

/** Returns the command to end a run that blocks a new one. */
export const endLine = (run: ActiveRun): string => `Or end it: isdlc cancel --reason "…"${itemFlag(run)}`;

const itemFlag = (run: ActiveRun): string => (runItem(run) === null ? "" : ` --item ${runItem(run)}`);

/** Describes an open workflow of an earlier framework, and how to continue. */
export function earlierWorkflow({ type, description, phase, folder, reviewing }: EarlierWorkflow): string {
  const where = phase === null ? "" : `, at ${plainLine(phase, 60)}`;
  const review = reviewing === null ? "" : ` with the review of ${plainLine(reviewing, 60)} open`;
  const work = `${plainLine(type, 40)} "${plainLine(description, 120)}"${where}${review}`;
  const documents = folder === null ? "" : ` Its documents can be built on here: isdlc build ${plainLine(folder, 80)}.`;
  return (
    `state.json has an unfinished workflow of an earlier framework: ${work}. ` +
    `isdlc does not continue it: end it there, or start it again here.${documents}`
  );
}
