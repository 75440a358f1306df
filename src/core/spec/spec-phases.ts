/** Phases of the spec workflow in order. `finish` is a user's command; no agent works in it. */
export const SPEC_PHASES = [
  "brainstorm",
  "specify",
  "design",
  "create-plan",
  "create-tasks",
  "implement",
  "verify",
  "finish",
] as const;
export type SpecPhase = (typeof SPEC_PHASES)[number];

export const isSpecPhase = (value: unknown): value is SpecPhase => (SPEC_PHASES as readonly unknown[]).includes(value);

/** File that each phase adds to the feature's folder. `implement` leaves code, `finish` nothing. */
export const SPEC_FILES = [
  ["brainstorm", "brainstorm.md"],
  ["specify", "spec.md"],
  ["design", "design.md"],
  ["create-plan", "plan.md"],
  ["create-tasks", "tasks.md"],
  ["verify", "verification.md"],
] as const satisfies readonly (readonly [SpecPhase, string])[];

/** Returns the last phase whose file exists. */
export function reachedPhase(files: readonly string[]): SpecPhase | null {
  return SPEC_FILES.findLast(([, file]) => files.includes(file))?.[0] ?? null;
}
