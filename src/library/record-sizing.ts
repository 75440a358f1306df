import type { Intensity, SizingMetrics } from "../schema/facts.ts";
import { isRecord, ownValue } from "../core/own-value.ts";
import { MIN_LIGHT_PHASES } from "../core/sizing.ts";

export type SizingDecisionOptions = {
  readonly metrics?: SizingMetrics | null;
  readonly forced_by_flag?: boolean;
  readonly overridden?: boolean;
  readonly overridden_to?: string | null;
  readonly config?: { readonly light_skip_phases?: readonly string[] };
  readonly reason?: string | null;
  readonly user_prompted?: boolean;
  readonly fallback_source?: string | null;
  readonly fallback_attempted?: boolean;
  readonly decided_at?: string | null;
};

const LIGHT_SKIPS: readonly string[] = ["03-architecture", "04-design"];
const SIZED_PHASE = "02-impact-analysis";

/**
 * Records the size of the work in the contents of `state.json`, in place. For light work, also removes the phases it
 * skips from the active workflow. If this would break the workflow, removes nothing and records standard. Returns
 * warnings about parts of the request that were not followed.
 */
export function recordSizing(state: unknown, intensity: unknown, options: SizingDecisionOptions = {}): string[] {
  const workflow = ownValue(state, "active_workflow");
  if (!isRecord(state) || !isRecord(workflow) || Object.isFrozen(state) || Object.isFrozen(workflow))
    return ["there is no active workflow to size"];
  const chosen = isIntensity(intensity) ? intensity : "standard";
  const warnings = isIntensity(intensity)
    ? []
    : [`${formatName(intensity)} is not an intensity, so standard is recorded`];
  const record = toRecord(chosen, isRecord(options) ? options : {});
  if (chosen !== "light") {
    workflow["sizing"] = record;
    return warnings;
  }
  const lighter = withoutPhases(state, workflow, skippedPhases(options));
  const broken = brokenInvariant(lighter);
  if (broken !== null) {
    workflow["sizing"] = { ...record, effective_intensity: "standard", fallback_reason: "invariant_check_failed" };
    return [`${broken} Nothing is left out, and standard is recorded`];
  }
  Object.assign(workflow, lighter.workflow, { sizing: record });
  Object.assign(state, { phases: lighter.phases });
  return warnings;
}

const isIntensity = (value: unknown): value is Intensity =>
  value === "light" || value === "standard" || value === "epic";

const formatName = (value: unknown): string => (typeof value === "string" ? `"${value.slice(0, 80)}"` : typeof value);

function toRecord(intensity: Intensity, options: unknown): Record<string, unknown> {
  const option = (name: keyof SizingDecisionOptions): unknown => ownValue(options, name);
  const text = (name: keyof SizingDecisionOptions): string | null => textOr(option(name), null);
  const is = (name: keyof SizingDecisionOptions): boolean => option(name) === true;
  return {
    intensity,
    effective_intensity: intensity === "light" ? "light" : "standard",
    ...parseMetrics(option("metrics")),
    recommended_by: is("forced_by_flag") ? "user" : "framework",
    overridden: is("overridden"),
    overridden_to: text("overridden_to"),
    decided_at: text("decided_at"),
    forced_by_flag: is("forced_by_flag"),
    epic_deferred: intensity === "epic",
    reason: text("reason"),
    user_prompted: is("user_prompted"),
    fallback_source: text("fallback_source"),
    fallback_attempted: is("fallback_attempted"),
  };
}

function parseMetrics(metrics: unknown): SizingMetrics {
  const count = (name: keyof SizingMetrics): number => {
    const value = ownValue(metrics, name);
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  return {
    file_count: count("file_count"),
    module_count: count("module_count"),
    risk_score: textOr(ownValue(metrics, "risk_score"), "unknown"),
    coupling: textOr(ownValue(metrics, "coupling"), "unknown"),
    coverage_gaps: count("coverage_gaps"),
  };
}

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === "string" ? value : otherwise);

function skippedPhases(options: unknown): ReadonlySet<unknown> {
  const given = ownValue(ownValue(options, "config"), "light_skip_phases");
  return new Set<unknown>(Array.isArray(given) ? given : LIGHT_SKIPS);
}

type Lighter = {
  readonly workflow: {
    readonly phases: readonly unknown[];
    readonly current_phase_index: number;
    readonly phase_status?: Record<string, unknown>;
  };
  readonly phases: Record<string, unknown>;
};

/** Returns the workflow without the phases skipped by light work. Changes nothing yet. */
function withoutPhases(state: object, workflow: object, skipped: ReadonlySet<unknown>): Lighter {
  const planned = ownValue(workflow, "phases");
  const phases = Array.isArray(planned) ? planned.filter((key) => !skipped.has(key)) : [];
  const statuses = ownValue(workflow, "phase_status");
  const records = without(ownValue(state, "phases"), skipped);
  const status = isRecord(statuses) ? without(statuses, skipped) : undefined;
  const sized = phases.indexOf(SIZED_PHASE);
  const done = phases.findLastIndex((key) => readStatus({ status, records }, key) === "completed");
  return {
    workflow: {
      phases,
      current_phase_index: (sized === -1 ? done : sized) + 1,
      ...(status === undefined ? {} : { phase_status: status }),
    },
    phases: records,
  };
}

const without = (entries: unknown, skipped: ReadonlySet<unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(isRecord(entries) ? entries : {}).filter(([key]) => !skipped.has(key)));

type Statuses = { readonly status: unknown; readonly records: unknown };

const readStatus = ({ status, records }: Statuses, key: unknown): unknown =>
  ownValue(status, String(key)) ?? ownValue(ownValue(records, String(key)), "status");

function brokenInvariant({ workflow, phases: records }: Lighter): string | null {
  const { phases, current_phase_index: index, phase_status: status } = workflow;
  if (phases.length < MIN_LIGHT_PHASES) return `Only ${phases.length} phases would be left.`;
  if (index >= phases.length) return "No phase would be left to continue with.";
  const stray = Object.keys(status ?? {}).find((key) => !phases.includes(key));
  if (stray !== undefined) return `phase_status names ${stray}, which is not a phase of the workflow.`;
  const following = readStatus({ status, records }, phases[index]) ?? "pending";
  return following === "pending" ? null : `${String(phases[index])} has already started.`;
}
