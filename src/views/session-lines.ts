import { type ActiveRun, currentPhase } from "../core/run.ts";
import { claimedSession } from "../core/next.ts";
import { plainLine } from "./plain-text.ts";

/** Names the session that works on the current phase, or explains how a session claims it. */
export function sessionLines(run: ActiveRun): string[] {
  const session = claimedSession(run);
  const phase = currentPhase(run)?.rule.key ?? "";
  return session === null
    ? [`${phase} is to be worked on in an agent session. There: isdlc begin`]
    : [
        `${phase} is worked on in the session ${plainLine(session.id)}${session.host === null ? "" : ` (${session.host})`}.`,
      ];
}
