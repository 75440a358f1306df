import type { Feature } from "../../../../adapters/project-files/features.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { isPartialPhase } from "../../../../core/spec/spec-meta.ts";
import { reachedPhase, SPEC_FILES, SPEC_PHASES, type SpecPhase } from "../../../../core/spec/spec-phases.ts";
import { specTransition } from "../../../../core/spec/transition.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import type { Projections } from "../../../../ports/projections.ts";
import type { Mode } from "../../../../schema/plan.ts";
import { plainText } from "../../../../views/plain-text.ts";
import { type Choice, ChoicesNeeded } from "../../../../app/choice.ts";
import { askChoice, confirmChoice } from "../../terminal/ask-choice.ts";
import { type Invocation, text } from "../../invocation/verb.ts";

/** The requested phase. The feature is null until it exists. */
export type PhaseRequest = { readonly feature: Feature | null; readonly target: SpecPhase; readonly mode: Mode };

export type Transition = {
  /** Warnings for the journal. */
  readonly warnings: readonly string[];
  /** Open choices. */
  readonly choices: readonly Choice[];
};

/**
 * Checks if the feature may start this phase now. Skipped phases need confirmation, except for a hotfix, and also
 * before the first command of a new feature.
 * @throws ProblemError PREREQUISITE_MISSING
 */
export async function resolveTransition(invocation: Invocation, step: PhaseRequest): Promise<Transition> {
  const { feature, target, mode } = step;
  const files = feature?.files ?? [];
  const found = specTransition({
    current: feature?.meta.currentPhase ?? reachedPhase(files),
    done: donePhases(feature),
    target,
    artifacts: {
      spec: files.includes("spec.md"),
      design: files.includes("design.md"),
      plan: files.includes("plan.md"),
      tasks: files.includes("tasks.md"),
    },
    mode,
  });
  if (!found.allowed) {
    const verb = found.missing === "plan.md" ? "create-plan" : "specify";
    throw new ProblemError({ code: "PREREQUISITE_MISSING", detail: found.message ?? "", verb });
  }
  const outdated = outdatedBy(target, files);
  if (found.message === null) return { warnings: outdated, choices: [] };
  const isAsked = mode !== "hotfix";
  const about = [`warning: ${found.message}`];
  const choice = { id: "skips", kind: "confirm", options: ["yes"], about } as const;
  const warnings = [found.message, ...outdated];
  return { warnings, choices: isAsked ? await confirmChoice(invocation, choice) : [] };
}

/** Phases completed according to the record, or with a document that is not blank. */
function donePhases(feature: Feature | null): SpecPhase[] {
  if (feature === null) return [];
  const { meta, files } = feature;
  const isWritten = (phase: SpecPhase): boolean => files.includes(findDocument(phase) ?? "");
  return SPEC_PHASES.filter((phase) => (meta.phases[phase]?.completed ?? null) !== null || isWritten(phase));
}

/** Warns about later documents that depend on the one about to change. */
function outdatedBy(target: SpecPhase, files: readonly string[]): string[] {
  const later = SPEC_FILES.filter(([phase]) => SPEC_PHASES.indexOf(phase) > SPEC_PHASES.indexOf(target));
  const resting = later.map(([, file]) => file).filter((file) => files.includes(file));
  const document = findDocument(target);
  if (resting.length === 0 || document === null || !files.includes(document)) return [];
  return [`Going back to ${target}: ${resting.join(", ")} rest on the ${document} that is there now.`];
}

/** How to start a phase. For an unfinished one: continue, start again, or a choice for the user. */
export type PhaseStart =
  | { readonly is: "continue" | "fresh" }
  | { readonly is: "open"; readonly choice: Choice }
  | { readonly is: "new" };

export async function resolveBegun(
  invocation: Invocation,
  { feature, target }: PhaseRequest,
  projections: Pick<Projections, "readArtifact">,
): Promise<PhaseStart> {
  if (feature === null || !isPartialPhase(feature.meta, target)) return { is: "new" };
  const document = findDocument(target);
  return chooseBegun(invocation, target, () =>
    document === null ? null : projections.readArtifact(`${FEATURES_ROOT}/${feature.folder}/${document}`),
  );
}

/** Asks how to start an unfinished phase. `artifact` returns the text for Review, if there is one. */
export async function chooseBegun(
  { io, values }: Invocation,
  phase: string,
  artifact: () => string | null,
): Promise<Exclude<PhaseStart, { is: "new" }>> {
  const flagged = text(values, "on-partial");
  if (flagged === "continue" || flagged === "fresh") return { is: flagged };
  const document = (): string => plainText(artifact() ?? `${phase} has left nothing to look at yet.`);
  const about = [`${phase} was started but not finished.`, ...MENU];
  const choice = { id: "begun", kind: "partial", options: ["continue", "fresh", "review"], about } as const;
  const toRead = flagged === "review" ? [document()] : [];
  if (!io.interactive) return { is: "open", choice: { ...choice, about: [...toRead, ...about] } };
  for (;;) {
    const option = await askChoice(io, choice);
    if (option === null) throw new ChoicesNeeded([choice]);
    if (option === "continue" || option === "fresh") return { is: option };
    io.out(document());
  }
}

const MENU = [
  "  [C] Continue -- keep the existing work",
  "  [F] Fresh -- start again; the existing work is saved under a ref",
  "  [R] Review -- look at the existing work first",
];

/** Returns the document of a phase; null for code. */
export const findDocument = (phase: SpecPhase): string | null => SPEC_FILES.find(([key]) => key === phase)?.[1] ?? null;
