import type { ActiveRun, Answer, EndedRun } from "../../core/run.ts";

export type ReviewEntry = {
  readonly phase: string;
  readonly action: Answer["choice"];
  readonly timestamp: string;
  readonly paused_at?: string;
  /** Null while the pause lasts. */
  readonly resumed_at?: string | null;
  readonly redo_count?: number;
  readonly guidance?: string;
};

/** A gate was asked for by settings, or one was answered all the same. */
export const isSupervised = (run: ActiveRun | EndedRun): boolean => run.supervision.enabled || run.answers.length > 0;

/** One entry per choice; a pause and what ended it are one, written at the pause and completed at its end. */
export function reviewHistory(answers: readonly Answer[]): readonly ReviewEntry[] {
  const entries: ReviewEntry[] = [];
  for (const answer of answers) {
    const ended = endPause(entries, answer);
    if (answer.choice !== "continue" || !ended) entries.push(entryOf(answer));
  }
  return entries;
}

function endPause(entries: ReviewEntry[], { phase, at }: Answer): boolean {
  const last = entries.at(-1);
  if (last === undefined || last.phase !== phase || last.resumed_at !== null) return false;
  entries[entries.length - 1] = { ...last, resumed_at: at };
  return true;
}

function entryOf({ phase, choice, at, redo, guidance }: Answer): ReviewEntry {
  const entry = { phase, action: choice, timestamp: at };
  if (choice === "review") return { ...entry, paused_at: at, resumed_at: null };
  if (choice === "redo") return { ...entry, redo_count: redo, guidance: guidance ?? "" };
  return entry;
}
