import { loadWorkflow, personaNames, workflowNames } from "../../src/adapters/project-files/definitions.ts";
import {
  applyOverlays,
  type AppliedOverlays,
  type BuiltIn,
  type GivenOverlay,
} from "../../src/core/overlay/overlay.ts";
import type { Overlay, WorkflowOverlay } from "../../src/schema/overlay.ts";
import type { PhaseDefinition, WorkflowDefinition } from "../../src/schema/plan.ts";

export const builtIn: BuiltIn = {
  workflows: workflowNames(),
  personas: personaNames(),
  needs: workflowNames().flatMap((name) => loadWorkflow(name).phases.map((phase) => phase.needs)),
};

/** Sources of an overlay, and if they may relax rules. */
export const givers = [
  { who: "an untrusted repository", source: "repository", trusted: false, free: false },
  { who: "a trusted repository", source: "repository", trusted: true, free: true },
  { who: "the user", source: "user", trusted: false, free: true },
] as const;
export type Giver = Pick<(typeof givers)[number], "source" | "trusted">;

export const stranger: Giver = givers[0];
export const trusted: Giver = givers[1];
export const user: Giver = givers[2];

export const given = (giver: Giver, content: Overlay): GivenOverlay => ({
  source: giver.source,
  trusted: giver.trusted,
  file: `${giver.source}.json`,
  content,
});

export const onChange = (giver: Giver, overlay: WorkflowOverlay): GivenOverlay =>
  given(giver, { workflows: { change: overlay } });

export function applyAll(definition: WorkflowDefinition, overlays: readonly GivenOverlay[]): AppliedOverlays {
  const outcome = applyOverlays(definition, overlays, builtIn);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.mistake));
  return outcome.applied;
}

export const listPhaseKeys = ({ definition }: AppliedOverlays): string[] => definition.phases.map(({ key }) => key);

export function findPhase({ definition }: Pick<AppliedOverlays, "definition">, key: string): PhaseDefinition {
  const found = definition.phases.find((phase) => phase.key === key);
  if (found === undefined) throw new Error(`no phase ${key}`);
  return found;
}
