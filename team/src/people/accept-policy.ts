import type { Pool } from "pg";
import { readingFor, tighten } from "../../../src/core/supervision.ts";
import type { PhaseKey } from "../../../src/schema/ids.ts";
import type { PhaseRule, RunOptions, Supervision } from "../../../src/schema/plan.ts";
import type { Queryable } from "../journal-postgres/read-run.ts";

/** A repository's requirements for accepting work. */
export type AcceptPolicy = {
  readonly isFourEyes: boolean;
  readonly isSigned: boolean;
  /** Phases with named reviewers. */
  readonly phases: readonly string[];
};

export async function readAcceptPolicy(client: Queryable | Pool, repository: string): Promise<AcceptPolicy> {
  const { rows } = await client.query<AcceptPolicy>(
    `select four_eyes as "isFourEyes", passkeys as "isSigned",
       array(select distinct phase from isdlc.phase_reviewer p where p.repository = name order by phase) as phases
     from isdlc.repository where name = $1`,
    [repository],
  );
  return rows[0] ?? { isFourEyes: true, isSigned: true, phases: [] };
}

export const hasPolicy = ({ isFourEyes, isSigned, phases }: AcceptPolicy): boolean =>
  isFourEyes || isSigned || phases.length > 0;

/** Under a policy, an approver decides how the run ends, the size of the work, and about tests that fail before it. */
export const ASKS = { finish: "ask", sizing: "ask", redTests: "ask" } as const satisfies Partial<RunOptions>;

/** Adds a gate after each phase with named reviewers. */
export function superviseNamed(
  supervision: Supervision,
  { phases }: AcceptPolicy,
  workflowPhases: readonly PhaseKey[],
): Supervision {
  const named = phases.filter((phase) => workflowPhases.includes(phase));
  if (named.length === 0) return supervision;
  const reading = { is: "set", enabled: true, phases: named, minimal: false } as const;
  return tighten(supervision, readingFor({ ...reading, phases: [...named] }, workflowPhases));
}

/** Makes size-dependent gates open always: under a policy, the size reported by a worker is not trusted. */
export const withFixedGates = (plan: readonly PhaseRule[]): PhaseRule[] =>
  plan.map((rule) => (rule.gate === "large" ? { ...rule, gate: "always" } : rule));
