import type { RunState } from "../../../core/run.ts";
import type { RunEvent } from "../../../schema/event.ts";
import type { Invocation } from "../grammar/verb.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openInvokedProject } from "./project-of.ts";

/**
 * Returns the state of the run if this process recorded a person's decision in it. Null if it did not, or if the
 * journal is unreadable.
 */
export async function recordedHere(invocation: Invocation): Promise<RunState | null> {
  try {
    const project = openInvokedProject(invocation);
    const { run, state } = await currentRun(project);
    const events = run === null ? [] : project.journal.events(run);
    return events.some(isOurs) ? state : null;
  } catch {
    return null; // the original problem is more useful than a journal error
  }
}

const BEGAN = Date.now() - performance.now();
const TOLERANCE = 1000; // milliseconds: recorded times are rounded, and the clock may be set in the meantime

/** Compares the process id of the event's origin. A run started by a script has none: its time decides. */
function isOurs(event: RunEvent): boolean {
  if (!("by" in event) || typeof event.by === "string") return false;
  const at = Date.parse(event.at);
  if (event.type === "run.started" && event.by.channel === "script") return at >= BEGAN;
  return at >= BEGAN - TOLERANCE && "origin" in event.by && event.by.origin?.pid === process.pid;
}
