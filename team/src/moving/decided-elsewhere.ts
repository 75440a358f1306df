import type { ClientBase } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunEvent } from "../../../src/schema/event.ts";

/** Events that complete a phase or reduce scrutiny. All other work can still be reviewed by the team's approvers. */
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
 * Rejects work accepted elsewhere if the repository restricts who may accept (four-eyes rule, passkeys, phase
 * reviewers). These rules are checked when a decision is made, and a user's machine does not check them. @throws
 * ProblemError NOT_ALLOWED
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
    what: `In ${repository} the team decides who accepts work, and this run was accepted elsewhere (event ${found.seq}).`,
    fix: "Go back to before that (isdlc back <phase>) on a run of the team, or finish it where it is.",
  });
}
