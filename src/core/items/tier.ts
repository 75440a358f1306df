import { ownValue } from "../own-value.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import type { ItemMeta, MetaFields } from "./item-meta.ts";

export type Tier = "trivial" | "light" | "standard" | "epic";

/** Sizes of work, smallest first. */
export const TIER_ORDER: readonly Tier[] = ["trivial", "light", "standard", "epic"];

export type TierDescription = { readonly label: string; readonly description: string; readonly fileRange: string };

const descriptions: Readonly<Record<Tier, TierDescription>> = {
  trivial: { label: "Trivial", description: "a small edit, reviewed at the end", fileRange: "1-2 files" },
  light: { label: "Light", description: "no separate architecture and design", fileRange: "3-8 files" },
  standard: { label: "Standard", description: "every phase of the workflow", fileRange: "9-20 files" },
  epic: { label: "Epic", description: "large or risky: worth splitting first", fileRange: "more than 20 files" },
};

/** Returns the tier for a number of files; medium and high risk raise it by one. An invalid count gives `standard`. */
export function computeRecommendedTier(files: unknown, risk?: unknown, thresholds?: unknown): Tier {
  if (typeof files !== "number" || !Number.isInteger(files) || files < 1) return "standard";
  const limits = parseLimits(thresholds);
  const level = limits.findIndex((limit) => files <= limit);
  const base = level === -1 ? TIER_ORDER.length - 1 : level;
  const word = typeof risk === "string" ? risk.trim().toLowerCase() : "";
  const raised = word === "medium" || word === "high" ? base + 1 : base;
  return TIER_ORDER[Math.min(raised, TIER_ORDER.length - 1)] ?? "standard";
}

/** Returns the display texts of a tier. An unknown name gets the texts of `standard`. */
export function getTierDescription(tier: unknown): TierDescription {
  return descriptions[TIER_ORDER.find((known) => known === tier) ?? "standard"];
}

const DEFAULT_LIMITS: readonly number[] = [2, 8, 20];

/** Returns the given thresholds if they are three rising counts, else the defaults. */
function parseLimits(thresholds: unknown): readonly number[] {
  const given = ["trivial_max_files", "light_max_files", "standard_max_files"].map(
    (name, index) => ownValue(thresholds, name) ?? DEFAULT_LIMITS[index],
  );
  const rising = given.every((limit, index) => {
    const before = index === 0 ? 0 : given[index - 1];
    return Number.isSafeInteger(limit) && (limit as number) > (before as number); // the previous limit was checked first
  });
  return rising ? (given as number[]) : DEFAULT_LIMITS;
}

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
