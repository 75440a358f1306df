import type { ClientBase } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunEvent } from "../../../src/schema/event.ts";

/** What brings a phase to its end, or asks for less scrutiny. Everything else can still be looked at by whoever has to. */
const ACCEPTING: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "phase.accepted",
  "phase.skipped",
  "phase.committed",
  "phase.left",
  "step.skipped",
  "supervision.loosened",
  "sizing.decided",
  "lines.included",
  "tests.accepted",
  "finish.chosen",
]);

const accepts = (event: RunEvent): boolean =>
  ACCEPTING.has(event.type) || (event.type === "gate.answered" && event.choice === "continue");

/**
 * Who may accept is asked where a decision is made, and a person's machine does not ask. So where the team has a rule
 * about it, nothing that was accepted elsewhere comes in. @throws ProblemError NOT_ALLOWED
 */
export async function refuseDecidedElsewhere(
  client: ClientBase,
  repository: string,
  events: readonly RunEvent[],
): Promise<void> {
  const found = events.find(accepts);
  if (found === undefined) return;
  const { rows } = await client.query<{ asks: boolean }>(
    `select four_eyes or passkeys or exists (select 1 from isdlc.phase_reviewer p where p.repository = name) as asks
     from isdlc.repository where name = $1`,
    [repository],
  );
  if (rows[0]?.asks === false) return;
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: `In ${repository} the team says who accepts work, and this run was accepted elsewhere (event ${found.seq}).`,
    fix: "Go back to before that (isdlc back <phase>) on a run of the team, or finish it where it is.",
  });
}
