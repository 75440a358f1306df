import type { UserSettings } from "../../schema/user-settings.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { RunOptions } from "../../schema/plan.ts";
import { keyOf } from "../../compose/agent-choice.ts";
import { allAgents, type ChosenAgents, createBackend, requireInstalled } from "../../compose/create-backend.ts";
import { unmetWishes } from "./capability-rows.ts";
import { chooseAgents, type Choice } from "./choose-agents.ts";
import type { Invocation } from "./grammar/verb.ts";

export type AgentsWanted = {
  readonly settings: UserSettings;
  readonly phases: readonly PhaseKey[];
  readonly limits: Pick<RunOptions, "budget" | "limits" | "session">;
  /** Resolved by whoever wants the run. */
  readonly chosen: ChosenAgents | undefined;
};

export type ResolvedAgents = {
  readonly agents: ChosenAgents;
  /** What each said of itself, by `keyOf`. */
  readonly versions: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** To be shown, and not recorded. */
  readonly lines: readonly string[];
};

/**
 * Which agents a run has, all of them installed, and what they cannot do of what is asked.
 * @throws ProblemError before anything is written.
 */
export async function resolveAgents({ values, env }: Invocation, wanted: AgentsWanted): Promise<ResolvedAgents> {
  const choice =
    wanted.chosen === undefined ? chooseAgents(values, wanted.settings, { env, ...wanted }) : given(wanted.chosen);
  const { agents, detected, warnings } = choice;
  const able = await Promise.all(
    allAgents(agents).map(async (agent) => ({
      name: agent.name,
      key: keyOf(agent),
      able: await requireInstalled(createBackend(agent, env)),
    })),
  );
  const lines = detected === null ? [] : [foundLine(detected)];
  const versions = new Map(able.map(({ key, able: { version } }) => [key, version]));
  return { agents, versions, warnings: [...warnings, ...unmetWishes(wanted.limits, able)], lines };
}

const given = (agents: ChosenAgents): Choice => ({ agents, detected: null, warnings: [] });

const foundLine = (name: string): string =>
  `Agent: ${name} (found on PATH; "isdlc config set agent <name>" to choose, "isdlc agents" to see all)`;
