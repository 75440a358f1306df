import type { Claim } from "../schema/facts.ts";
import { stepOf } from "./next.ts";
import { type ActiveRun, currentPhase, isExecuting } from "./run.ts";

/** The name, among the agents of a run, of work that is done in the person's own agent session. */
export const SESSION_AGENT = "session";

/** The session that works on the current phase; null where none does. */
export function sessionOf({ stage }: ActiveRun): NonNullable<Claim["session"]> | null {
  return (isExecuting(stage) ? stage.claim?.session : null) ?? null;
}

/** True in the steps in which an agent writes. */
export function isWriting(run: ActiveRun): boolean {
  const step = stepOf(run);
  return run.wait === null && (step === "produce" || step === "refine");
}

/** True while the run has nothing to do until a session works on it or reports. */
export function isWithSession(run: ActiveRun): boolean {
  const key = currentPhase(run)?.rule.key ?? "";
  const agent = run.run.agents?.[key] ?? run.run.agent;
  return sessionOf(run) !== null || (isWriting(run) && agent.name === SESSION_AGENT);
}
