import type { Mode } from "../../schema/plan.ts";
import { ownValue } from "../own-value.ts";
import { isSpecPhase, SPEC_PHASES, type SpecPhase } from "./spec-phases.ts";

/** Existing documents of a feature. */
export type SpecArtifacts = {
  readonly spec: boolean;
  readonly design: boolean;
  readonly plan: boolean;
  readonly tasks: boolean;
};

export type TransitionVerdict = {
  readonly allowed: boolean;
  readonly type: "proceed" | "warning" | "blocked";
  readonly message: string | null;
};

export type Transition = TransitionVerdict & {
  /** Phases skipped before the target. */
  readonly skipped: readonly SpecPhase[];
  /** Required document that is missing; with type `warning`, the mode continues without it. */
  readonly missing: "spec.md" | "plan.md" | null;
};

export type TransitionRequest = {
  /** Last completed phase. Null, or an unknown name: none yet. */
  readonly current: string | null;
  /** Phases that count as done, in any order. Default: all up to the current one. */
  readonly done?: readonly SpecPhase[];
  readonly target: string;
  readonly artifacts: SpecArtifacts;
  readonly mode: Mode;
};

/** Checks if a feature may move from one phase to another. Published form, without modes. */
export function validateTransition(
  currentPhase: string | null,
  targetPhase: string,
  artifacts: SpecArtifacts,
): TransitionVerdict {
  const request = { current: currentPhase, target: targetPhase, artifacts, mode: "standard" } as const;
  const { allowed, type, message } = specTransition(request);
  return { allowed, type, message };
}

/** Checks a transition in a mode: a hotfix continues without `spec.md`, with a warning. */
export function specTransition({ current, done, target, artifacts, mode }: TransitionRequest): Transition {
  if (!isSpecPhase(target)) return blocked(`There is no such phase. The phases are ${SPEC_PHASES.join(", ")}.`, null);
  const missing = missingFor(target, artifacts);
  if (missing === "plan.md") {
    return blocked("plan.md required before task creation. Run /create-plan first.", missing);
  }
  if (missing === "spec.md" && mode !== "hotfix") {
    return blocked("spec.md required before implementation. Run /specify first.", missing);
  }
  const before = SPEC_PHASES.slice(0, SPEC_PHASES.indexOf(target));
  const skipped =
    done === undefined ? skippedBetween(current, target) : before.filter((phase) => !done.includes(phase));
  const warnings = [
    ...(missing === null ? [] : [`${missing} is missing; a hotfix continues without it.`]),
    ...(skipped.length === 0 ? [] : [`Skipped before ${target}: ${skipped.join(", ")}.`]),
  ];
  if (warnings.length === 0) return { allowed: true, type: "proceed", message: null, skipped, missing };
  return { allowed: true, type: "warning", message: warnings.join(" "), skipped, missing };
}

function missingFor(target: SpecPhase, artifacts: SpecArtifacts): Transition["missing"] {
  if (target === "implement" && ownValue(artifacts, "spec") !== true) return "spec.md";
  if (target === "create-tasks" && ownValue(artifacts, "plan") !== true) return "plan.md";
  return null;
}

/** A return, or the same phase again, skips nothing. */
function skippedBetween(current: string | null, target: SpecPhase): readonly SpecPhase[] {
  const reached = isSpecPhase(current) ? SPEC_PHASES.indexOf(current) : -1;
  return SPEC_PHASES.slice(reached + 1, Math.max(reached + 1, SPEC_PHASES.indexOf(target)));
}

const blocked = (message: string, missing: Transition["missing"]): Transition => ({
  allowed: false,
  type: "blocked",
  message,
  skipped: [],
  missing,
});
