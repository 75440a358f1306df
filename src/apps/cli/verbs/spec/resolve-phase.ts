import type { Feature } from "../../../../adapters/spec/features.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { isPartialPhase } from "../../../../core/spec/spec-meta.ts";
import { SPEC_FILES, type SpecPhase } from "../../../../core/spec/spec-phases.ts";
import { specTransition } from "../../../../core/spec/transition.ts";
import { FEATURES_ROOT } from "../../../../engine/steps/feature-record.ts";
import type { Projections } from "../../../../ports/projections.ts";
import type { Mode } from "../../../../schema/plan.ts";
import { plainText } from "../../../../views/plain-text.ts";
import { type Choice, ChoicesNeeded } from "../../../../app/choice.ts";
import { askChoice } from "../../terminal/ask-choice.ts";
import { confirmChoice } from "../../terminal/confirm-choice.ts";
import { type Invocation, text } from "../../grammar/verb.ts";

/** The phase a person asked for; the feature is null while it does not exist. */
export type Step = { readonly feature: Feature | null; readonly target: SpecPhase; readonly mode: Mode };

export type Transition = {
  /** To be recorded. */
  readonly warnings: readonly string[];
  /** What is left to be chosen. */
  readonly choices: readonly Choice[];
};

/**
 * May the feature go to this phase now? What is skipped is asked about; what is new skips nothing that was ever begun.
 * @throws ProblemError PREREQUISITE_MISSING
 */
export async function resolveTransition(invocation: Invocation, step: Step): Promise<Transition> {
  const { feature, target, mode } = step;
  const files = feature?.files ?? [];
  const found = specTransition({
    current: feature?.meta.currentPhase ?? null,
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
  if (found.message === null) return { warnings: [], choices: [] };
  const isAsked = feature !== null && mode !== "hotfix";
  const about = [`warning: ${found.message}`];
  const choice = { id: "skips", kind: "confirm", options: ["yes"], about } as const;
  return { warnings: [found.message], choices: isAsked ? await confirmChoice(invocation, choice) : [] };
}

/** A phase that was begun and not finished: whether to go on with what is there, or what is left to be chosen about it. */
export type Begun =
  | { readonly is: "continue" | "fresh" }
  | { readonly is: "open"; readonly choice: Choice }
  | { readonly is: "new" };

export async function resolveBegun(
  invocation: Invocation,
  { feature, target }: Step,
  projections: Pick<Projections, "readArtifact">,
): Promise<Begun> {
  if (feature === null || !isPartialPhase(feature.meta, target)) return { is: "new" };
  const document = documentOf(target);
  return chooseBegun(invocation, target, () =>
    document === null ? null : projections.readArtifact(`${FEATURES_ROOT}/${feature.folder}/${document}`),
  );
}

/** `artifact` gives the text that Review shows; null where there is none. */
export async function chooseBegun(
  { io, values }: Invocation,
  phase: string,
  artifact: () => string | null,
): Promise<Exclude<Begun, { is: "new" }>> {
  const flagged = text(values, "on-partial");
  if (flagged === "continue" || flagged === "fresh") return { is: flagged };
  const shown = (): void => io.out(plainText(artifact() ?? `${phase} has left nothing to look at yet.`));
  const about = [`${phase} was begun and not finished.`, ...MENU];
  const choice = { id: "begun", kind: "partial", options: ["continue", "fresh", "review"], about } as const;
  if (flagged === "review" && !io.interactive) shown();
  if (!io.interactive) return { is: "open", choice };
  for (;;) {
    const option = await askChoice(io, choice);
    if (option === null) throw new ChoicesNeeded([choice]);
    if (option === "continue" || option === "fresh") return { is: option };
    shown();
  }
}

const MENU = [
  "  [C] Continue -- go on with what is there",
  "  [F] Fresh -- begin again; what is there is kept on a ref of its own",
  "  [R] Review -- look at what is there first",
];

/** The document a phase leaves; null for code. */
export const documentOf = (phase: SpecPhase): string | null => SPEC_FILES.find(([key]) => key === phase)?.[1] ?? null;
