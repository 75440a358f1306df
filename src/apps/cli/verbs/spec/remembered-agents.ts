import { sameAgent } from "../../../../app/agents/agent-choice.ts";
import { currentRun } from "../../../../app/project/current-run.ts";
import type { RunRequest } from "../../../../app/start/run-request.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import type { PlacedFeature } from "./find-feature.ts";

/**
 * Adds the agents of the feature's last run, if neither this command nor a setting names one. Otherwise a feature
 * started with `--agent-command` would continue with an agent found on PATH.
 */
export async function withRememberedAgents(
  request: RunRequest,
  { project, feature }: PlacedFeature,
): Promise<RunRequest> {
  const { wishes } = request;
  const named = Object.keys(project.settings.read().settings).some((key) =>
    /^(?:agent|reviewer)(?!-variables)/.test(key),
  );
  const { state } = await currentRun(project);
  const isOfFeature = state.is === "ended" && state.run.item === `${FEATURES_ROOT}/${feature.folder}`;
  const before = isOfFeature ? project.trust.agents(state.run.run) : null;
  if (named || before === null || (wishes.agent ?? wishes.reviewer ?? null) !== null) return request;
  const reviewer = sameAgent(before.reviewer, before.phase) ? null : before.reviewer;
  return { ...request, wishes: { ...wishes, agent: before.phase, reviewer } };
}
