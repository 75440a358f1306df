import type { EarlierWorkflow } from "../core/earlier-state.ts";
import { plainLine } from "./plain-text.ts";

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
