import type { Workflows } from "../../ports/workflows.ts";
import type { PhaseKey } from "../../schema/ids.ts";

/** Lists each phase of the shipped workflows once. */
export const shippedPhases = (workflows: Pick<Workflows, "names" | "load">): readonly PhaseKey[] => [
  ...new Set(workflows.names().flatMap((name) => workflows.load(name).phases.map(({ key }) => key))),
];
