import { HTTPException } from "hono/http-exception";
import { ProblemError } from "../../core/problem.ts";
import type { RunEvent } from "../../schema/event.ts";
import { apiProblem } from "./api-problem.ts";

type RunEvents = () => readonly RunEvent[] | Promise<readonly RunEvent[]>;

/** Adds the user who answered the wait first, if any, to a refusal. */
export async function tellingWhoWasFirst<T>(events: RunEvents, wait: string | null, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProblemError) || !isTooLate(error)) throw error;
    const first = answeredBy(await events(), wait);
    if (first === null) throw error;
    const problem = { ...apiProblem(error.problem), what: first };
    throw new HTTPException(409, { res: Response.json({ problem }, { status: 409 }), cause: error });
  }
}

const TOO_LATE: ReadonlySet<string> = new Set(["notOpen", "alreadyPaused", "runEnded"]);

const isTooLate = ({ problem }: ProblemError): boolean =>
  problem.code === "COMMAND_REFUSED" && TOO_LATE.has(problem.refusal.why);

function answeredBy(events: readonly RunEvent[], wait: string | null): string | null {
  const event = events.findLast((one) => "wait" in one && one.wait === wait);
  if (event === undefined || !("by" in event) || typeof event.by === "string") return null;
  const what = event.type === "gate.answered" ? event.choice : event.type.split(".")[1];
  return `${event.by.name} (${event.by.channel}) answered it before you: ${what}.`;
}
