import type { RunState } from "../../../core/run.ts";
import type { RunEvent } from "../../../schema/event.ts";
import type { Invocation } from "../grammar/verb.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openInvokedProject } from "./project-of.ts";

/** The state of the run, where this very process recorded a person's word in it; null where it did not, or nobody knows. */
export async function recordedHere(invocation: Invocation): Promise<RunState | null> {
  try {
    const project = openInvokedProject(invocation);
    const { run, state } = await currentRun(project);
    const events = run === null ? [] : project.journal.events(run);
    return events.some(isOurs) ? state : null;
  } catch {
    return null; // a journal that cannot be read tells nothing; the problem at hand does
  }
}

const BEGAN = Date.now() - performance.now();
const TOLERANCE = 1000; // milliseconds: the clock of records is rounded, and may be set meanwhile

/** By the process that a person's word came from; a run that a script began names none. */
function isOurs(event: RunEvent): boolean {
  if (!("by" in event) || typeof event.by === "string") return false;
  const at = Date.parse(event.at);
  if (event.type === "run.started" && event.by.channel === "script") return at >= BEGAN;
  return at >= BEGAN - TOLERANCE && "origin" in event.by && event.by.origin?.pid === process.pid;
}
