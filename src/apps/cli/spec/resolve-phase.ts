import type { Feature } from "../../../adapters/spec/features.ts";
import { ProblemError } from "../../../core/problem.ts";
import { isPartialPhase } from "../../../core/spec/spec-meta.ts";
import { SPEC_FILES, type SpecPhase } from "../../../core/spec/spec-phases.ts";
import { specTransition } from "../../../core/spec/transition.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import type { Projections } from "../../../ports/projections.ts";
import type { Mode } from "../../../schema/plan.ts";
import { plainText } from "../../../views/plain-text.ts";
import { ask, askAbout } from "../terminal/ask.ts";
import { ChoiceNeeded } from "../grammar/choice.ts";
import { flag, type Invocation, text } from "../grammar/verb.ts";

/** The phase a person asked for; the feature is null while it does not exist. */
export type Step = { readonly feature: Feature | null; readonly target: SpecPhase; readonly mode: Mode };

/**
 * May the feature go to this phase now? What is skipped is asked about; what is new skips nothing that was ever begun.
 * Gives the warnings to record.
 * @throws ProblemError PREREQUISITE_MISSING
 */
export async function resolveTransition(invocation: Invocation, step: Step): Promise<readonly string[]> {
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
  if (found.message === null) return [];
  if (feature !== null && mode !== "hotfix") await confirmSkip(invocation, found.message);
  return [found.message];
}

async function confirmSkip({ io, values }: Invocation, message: string): Promise<void> {
  const about = [`warning: ${message}`];
  if (flag(values, "yes") || (await ask(io, "Go on all the same?", about))) return;
  throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: "--yes", about });
}

export type Begun = "continue" | "fresh";

/** A phase that was begun and not finished: go on with what is there, or begin again. Null where there is none. */
export async function resolveBegun(
  invocation: Invocation,
  { feature, target }: Step,
  projections: Pick<Projections, "readArtifact">,
): Promise<Begun | null> {
  if (feature === null || !isPartialPhase(feature.meta, target)) return null;
  const document = documentOf(target);
  return chooseBegun(invocation, target, () =>
    document === null ? null : projections.readArtifact(`${FEATURES_ROOT}/${feature.folder}/${document}`),
  );
}

/** `artifact` gives the text that Review shows; null where there is none. */
export async function chooseBegun(
  invocation: Invocation,
  phase: string,
  artifact: () => string | null,
): Promise<Begun> {
  const { io, values } = invocation;
  const flagged = text(values, "on-partial");
  if (flagged === "continue" || flagged === "fresh") return flagged;
  const shown = (): void => io.out(plainText(artifact() ?? `${phase} has left nothing to look at yet.`));
  const about = [`${phase} was begun and not finished.`, ...MENU];
  for (;;) {
    if (flagged === "review" && !io.interactive) shown();
    const key = await askAbout(io, about, ["c", "f", "r"]);
    if (key === "r") shown();
    else if (key !== null) return key === "c" ? "continue" : "fresh";
    else
      throw new ChoiceNeeded({
        kind: "partial",
        options: ["continue", "fresh", "review"],
        flag: "--on-partial <option>",
        about,
      });
  }
}

const MENU = [
  "  [C] Continue -- go on with what is there",
  "  [F] Fresh -- begin again; what is there is kept on a ref of its own",
  "  [R] Review -- look at what is there first",
];

/** The document a phase leaves; null for code. */
export const documentOf = (phase: SpecPhase): string | null => SPEC_FILES.find(([key]) => key === phase)?.[1] ?? null;
