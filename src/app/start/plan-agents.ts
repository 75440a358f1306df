import { ProblemError } from "../../core/problem.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { RunOptions } from "../../schema/plan.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import type { UserSettings } from "../../schema/user-settings.ts";
import { agentKey } from "../agents/agent-choice.ts";
import { unmetWishes } from "../agents/capability-rows.ts";
import { chooseAgents } from "../agents/choose-agents.ts";
import { allAgents } from "../agents/chosen-agents.ts";
import { shippedPhases } from "../agents/shipped-phases.ts";
import type { PlanningContext } from "./planning.ts";

type AgentWishes = {
  readonly settings: UserSettings;
  readonly phases: readonly PhaseKey[];
  readonly limits: Pick<RunOptions, "budget" | "limits" | "session">;
};

export type AgentsPlan = {
  readonly agents: RunAgents;
  /** Reported versions by `agentKey`. */
  readonly versions: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
};

/**
 * Chooses the run's agents, checks that all are installed, and lists requested options they do not support.
 * @throws ProblemError before anything is written.
 */
export async function planAgents(
  { project, request, notes }: PlanningContext,
  wanted: AgentWishes,
): Promise<AgentsPlan> {
  const { agents: port, workflows } = project;
  const { agents: given, agent = null, reviewer = null } = request.wishes;
  const known = shippedPhases(workflows);
  const { agents, detected, warnings } =
    given === undefined
      ? chooseAgents({ agent, reviewer }, wanted.settings, { agents: port, phases: wanted.phases, known })
      : { agents: given, detected: null, warnings: [] };
  const able = await Promise.all(
    allAgents(agents).map(async (one) => {
      const found = await port.probe(one);
      if ("code" in found) throw new ProblemError(found);
      return { name: one.name, key: agentKey(one), able: found, needsSandbox: port.needsSandbox(one.name) };
    }),
  );
  if (detected !== null) notes.push(foundLine(detected));
  const versions = new Map(able.map(({ key, able: { version } }) => [key, version]));
  return { agents, versions, warnings: [...warnings, ...unmetWishes(wanted.limits, able)] };
}

const foundLine = (name: string): string =>
  `Agent: ${name} (found on PATH; "isdlc config set agent <name>" to choose, "isdlc agents" to see all)`;
