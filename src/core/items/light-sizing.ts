import type { WorkflowDefinition } from "../../schema/plan.ts";
import { type ItemMeta, type MetaFields } from "./item-meta.ts";

type SizingField = Required<Pick<MetaFields, "sizing_decision">>;

/**
 * Returns a light sizing for an item whose analysis has completed its sizing phase, because the question will not come
 * again. Null if that phase is still due.
 */
export function lightSizing(meta: ItemMeta | null, { phases }: WorkflowDefinition, now: string): SizingField | null {
  const sizing = phases.find(({ after }) => after.includes("sizing"))?.key;
  if (meta === null || sizing === undefined || !meta.phases_completed.includes(sizing)) return null;
  const light_skip_phases = phases.filter(({ whenLight }) => whenLight === "drop").map(({ key }) => key);
  return { sizing_decision: { effective_intensity: "light", light_skip_phases, decided_at: now } };
}
