import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import { type ActiveRun, currentPhase } from "../../../src/core/run.ts";
import type { RunAccess } from "./roles.ts";

/** Options that accept no work. All other options accept work or reduce its scrutiny. */
const ACCEPTS_NOTHING: ReadonlySet<string> = new Set([
  "review",
  "redo",
  "back",
  "revert",
  "take-out",
  "answer",
  "retry",
  "standard",
  "raise",
  "discard",
  "cancel",
]);

export type Answerer = { readonly person: string; readonly option: string };

/**
 * Checks an answer against the team's policy. Under the four-eyes rule, the author of the run and users who brought
 * work into it cannot accept it. If a phase has named reviewers, only they can. @throws ProblemError NOT_ALLOWED
 */
export async function needPolicy(
  pool: Pool,
  { repository, begunBy }: RunAccess,
  { run, by }: { readonly run: ActiveRun; readonly by: Answerer },
): Promise<void> {
  if (ACCEPTS_NOTHING.has(by.option)) return;
  const phase = currentPhaseName(run);
  const { rows } = await pool.query<{ four_eyes: boolean; reviewers: readonly string[] }>(
    `select four_eyes, array(select person from isdlc.phase_reviewer p where p.repository = name and phase = $2
       order by person) as reviewers
     from isdlc.repository where name = $1`,
    [repository, phase],
  );
  const { four_eyes: isFourEyes, reviewers } = rows[0] ?? { four_eyes: true, reviewers: [] };
  if (isFourEyes && by.person === begunBy)
    throw new ProblemError({
      code: "NOT_ALLOWED",
      what: `${begunBy} started this run. In ${repository}, the author of a run cannot accept it.`,
      fix: "Ask another user to review it: isdlc gate",
    });
  if (isFourEyes && run.run.brought?.some(({ by: bringer }) => bringer === by.person) === true)
    throw new ProblemError({
      code: "NOT_ALLOWED",
      what: `${by.person} brought work of this run, and in ${repository} who made work does not accept it.`,
      fix: "Ask someone else to review it: isdlc gate",
    });
  if (reviewers.length > 0 && !reviewers.includes(by.person))
    throw new ProblemError({
      code: "NOT_ALLOWED",
      what: `In ${repository}, ${phase} is accepted by ${reviewers.join(", ")}.`,
      fix: "Ask one of them.",
    });
}

/** Rejects an unsigned answer if the repository requires signatures. @throws ProblemError PASSKEY_NEEDED */
export async function needSignature(
  pool: Pool,
  repository: string,
  { option }: Pick<Answerer, "option">,
): Promise<void> {
  const text = "select passkeys from isdlc.repository where name = $1";
  const { rows } = await pool.query<{ passkeys: boolean }>(text, [repository]);
  if (rows[0]?.passkeys !== false) throw new ProblemError({ code: "PASSKEY_NEEDED", verb: option, repository });
}

/** Name of the run's end in the list of reviewers. */
export const FINISH = "finish";

const currentPhaseName = (run: ActiveRun): string =>
  run.wait?.kind === "finish" ? FINISH : (currentPhase(run)?.rule.key ?? FINISH);
