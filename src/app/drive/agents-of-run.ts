import type { PersonCommand } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { RecordedAgents } from "../../ports/agents.ts";
import type { Person } from "../../schema/people.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import type { Project } from "../project/project.ts";
import { allAgents } from "../agents/agent-choice.ts";

/** Change of an open run's agents. `rename` returns null if no agents are known. */
export type AgentsChange = {
  readonly rename: (before: RunAgents | null) => RunAgents | null;
  /** Identifies the user, because only a person may choose another program. */
  readonly by: () => Promise<Person>;
};

export type AgentsOfRun = { readonly agents: RunAgents; readonly command: PersonCommand | null };

/**
 * Returns the run's agents: those named now, else the remembered ones.
 * @throws ProblemError AGENT_UNKNOWN, AGENT_NEEDS_SANDBOX
 */
export async function agentsOfRun(
  project: Project,
  run: ActiveRun,
  change: AgentsChange | undefined,
): Promise<AgentsOfRun> {
  const kept = project.trust.agents(run.run.run);
  const remembered = kept !== null && areAgentsOfRun(run, project.agents.record(kept)) ? kept : null;
  const chosen = change === undefined ? remembered : change.rename(remembered);
  if (chosen === null) throw new ProblemError({ code: "AGENT_UNKNOWN", agent: run.run.agent.name });
  const recorded = project.agents.record(chosen);
  if (change === undefined || chosen === remembered || areAgentsOfRun(run, recorded))
    return { agents: chosen, command: null };
  if (run.run.sandbox !== true) refuseUnsandboxed(project, chosen);
  return { agents: chosen, command: { do: "changeAgents", by: await change.by(), ...recorded } };
}

function refuseUnsandboxed({ agents }: Project, chosen: RunAgents): void {
  const agent = allAgents(chosen).find(({ name }) => agents.needsSandbox(name) !== null)?.name;
  const fix = "This run has none: cancel it and start again";
  if (agent !== undefined) throw new ProblemError({ code: "AGENT_NEEDS_SANDBOX", agent, fix });
}

/** Compares remembered agents with those in the journal. If they differ, something else changed them. */
function areAgentsOfRun({ run }: ActiveRun, now: RecordedAgents): boolean {
  const keys = [now, run].flatMap((recorded) =>
    [recorded.agents, recorded.reviewers].flatMap((one) => Object.keys(one ?? {})),
  );
  const reviewer = run.reviewer ?? now.reviewer;
  return (
    now.agent.digest === run.agent.digest &&
    now.reviewer.digest === reviewer.digest &&
    keys.every((key) => {
      const works = (now.agents?.[key] ?? now.agent).digest === (run.agents?.[key] ?? run.agent).digest;
      const reviews = (now.reviewers?.[key] ?? now.reviewer).digest === (run.reviewers?.[key] ?? reviewer).digest;
      return works && reviews;
    })
  );
}
